// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestNodeLabels: an affinity counts as a node selector if it allows only one value of a label.
func TestNodeLabels(t *testing.T) {
	t.Parallel()
	required := func(terms string) string {
		return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: " + terms + "}}}"
	}
	many := ""
	for i := range maxNodeLabels + 1 {
		many += fmt.Sprintf("{key: k%d, operator: In, values: [a]},", i)
	}
	tests := map[string]struct {
		spec string
		want map[string]string
	}{
		"nothing":              {"{}", nil},
		"a node selector":      {"nodeSelector: {pool: spot}", map[string]string{"pool": "spot"}},
		"one value":            {required("[{matchExpressions: [{key: pool, operator: In, values: [spot]}]}]"), map[string]string{"pool": "spot"}},
		"several values":       {required("[{matchExpressions: [{key: pool, operator: In, values: [spot, fast]}]}]"), nil},
		"other operators":      {required("[{matchExpressions: [{key: pool, operator: NotIn, values: [spot]}, {key: a, operator: Exists}]}]"), nil},
		"the same in all":      {required("[{matchExpressions: [{key: pool, operator: In, values: [spot]}, {key: a, operator: In, values: [b]}]}, {matchExpressions: [{key: pool, operator: In, values: [spot]}]}]"), map[string]string{"pool": "spot"}},
		"one or the other":     {required("[{matchExpressions: [{key: pool, operator: In, values: [spot]}]}, {matchExpressions: [{key: pool, operator: In, values: [fast]}]}]"), nil},
		"a term for no node":   {required("[{}, {matchExpressions: [{key: pool, operator: In, values: [spot]}]}]"), map[string]string{"pool": "spot"}},
		"a term for one node":  {required("[{matchFields: [{key: metadata.name, operator: In, values: [n]}]}, {matchExpressions: [{key: pool, operator: In, values: [spot]}]}]"), nil},
		"both":                 {"nodeSelector: {pool: spot, disk: fast}\n" + required("[{matchExpressions: [{key: zone, operator: In, values: [a]}]}]"), map[string]string{"pool": "spot", "disk": "fast", "zone": "a"}},
		"preferred only":       {"affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: {matchExpressions: [{key: pool, operator: In, values: [spot]}]}}]}}", nil},
		"more than is counted": {required("[{matchExpressions: [" + many + "]}]"), nil},
	}
	for name, tc := range tests {
		spec := corev1.PodSpec{}
		if err := yaml.UnmarshalStrict([]byte(tc.spec), &spec); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		before := spec.DeepCopy()
		if diff := cmp.Diff(tc.want, NodeLabels(&spec)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(before, &spec); diff != "" {
			t.Errorf("%s: the pod was changed:\n%s", name, diff)
		}
	}
}
