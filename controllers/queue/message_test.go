// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestActiveMessage: the message shows which queues admit nothing, and why.
func TestActiveMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state State
		want  string
	}{
		"none at a time": {State{Inner: true}, "admits no applications: spec.maxRunning is 0"},
		"no namespace":   {State{}, "admits no applications: it has no spec.namespaceSelector; {} admits every namespace"},
		"a leaf":         {State{}, ""},
		"inner":          {State{Inner: true}, "shares its quota among the queues below it, and admits no applications itself"},
		"held":           {State{StoppedBy: "a"}, "held: spec.stopPolicy is Hold, so nothing is admitted; what runs continues"},
		"inner, held":    {State{Inner: true, StoppedBy: "a"}, "held: spec.stopPolicy is Hold, so nothing is admitted; what runs continues"},
		"held above":     {State{StoppedBy: "root"}, "held: spec.stopPolicy of queue root above it is Hold, so nothing is admitted; what runs continues"},
		"drained":        {State{StoppedBy: "a", Drained: true}, "drained: spec.stopPolicy is HoldAndDrain, so nothing is admitted and what runs is stopped"},
		"drained above":  {State{StoppedBy: "root", Drained: true}, "drained: spec.stopPolicy of queue root above it is HoldAndDrain, so nothing is admitted and what runs is stopped"},
	} {
		queue := &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		if name != "no namespace" {
			queue.Spec.NamespaceSelector = &metav1.LabelSelector{}
		}
		if name == "none at a time" {
			queue.Spec.MaxRunning = ptr.To[int32](0)
		}
		if got := activeMessage(queue, tt.state); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	usage := func(flavor, name, used, nominal string) v1alpha1.QueueUsage {
		u := v1alpha1.QueueUsage{Flavor: flavor, Resource: name, Used: resource.MustParse(used)}
		if nominal != "" {
			n := resource.MustParse(nominal)
			u.Nominal = &n
		}
		return u
	}
	tests := map[string]struct {
		usage []v1alpha1.QueueUsage
		want  map[string]string
	}{
		"nothing":       {nil, nil},
		"no limit":      {[]v1alpha1.QueueUsage{usage("default", "cpu", "600m", "")}, nil},
		"part of cores": {[]v1alpha1.QueueUsage{usage("default", "cpu", "600m", "1")}, map[string]string{"cpu": "0.6/1"}},
		"whole cores":   {[]v1alpha1.QueueUsage{usage("default", "cpu", "2", "2500m")}, map[string]string{"cpu": "2/2.5"}},
		"more than can be counted": {[]v1alpha1.QueueUsage{
			usage("spot", "cpu", "1", "9223372036854775806m"), usage("default", "cpu", "1", "9223372036854775806m"), usage("default", "memory", "1", "999999999999999999Ei"),
		}, map[string]string{"cpu": "2/18446744073709551612m", "memory": "1/9223372036854775807"}},
		"all flavors together": {[]v1alpha1.QueueUsage{
			usage("spot", "cpu", "500m", "1"), usage("default", "cpu", "1", "2"), usage("default", "memory", "896Mi", "3Gi"), usage("default", "pods", "3", ""),
		}, map[string]string{"cpu": "1.5/3", "memory": "896Mi/3Gi"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, summary(tc.usage)); diff != "" {
				t.Errorf("summary (-want +got):\n%s", diff)
			}
		})
	}
}
