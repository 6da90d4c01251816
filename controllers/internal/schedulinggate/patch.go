// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedulinggate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// Placement is where a pod may run once it is ungated.
type Placement struct {
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Labels show what the pod is charged to.
	Labels map[string]string
}

// RemovalPatch returns the JSON patch that sets the placement of a pod and removes its scheduling gate. It applies only
// if the pod is unchanged since it was seen. Kubernetes allows only additions to the placement of a gated pod.
// unlabelled is true if the pod was seen without any label. The pod must have a SchedulingGate.
func RemovalPatch(pod *pods.Record, unlabelled bool, where Placement) []byte {
	gate := fmt.Sprintf("/spec/schedulingGates/%d", pod.SchedulingGate.At)
	patch := []operation{
		{"test", "/metadata/resourceVersion", strconv.FormatUint(pod.Version, 10)},
		{"test", gate + "/name", v1alpha1.QuotaSchedulingGate},
	}
	patch = append(patch, members("/metadata/labels", unlabelled, where.Labels)...)
	if len(where.NodeSelector) > 0 {
		patch = append(patch, operation{"add", "/spec/nodeSelector", selectorOf(pod.SchedulingGate, where)})
	}
	if len(where.Tolerations) > 0 && pod.SchedulingGate.Tolerations == nil {
		patch = append(patch, operation{"add", "/spec/tolerations", []corev1.Toleration{}})
	}
	for i := range where.Tolerations {
		patch = append(patch, operation{"add", "/spec/tolerations/-", where.Tolerations[i]})
	}
	data, err := json.Marshal(append(patch, operation{Op: "remove", Path: gate}))
	if err != nil {
		panic(err) // strings and tolerations can always be encoded
	}
	return data
}

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// selectorOf returns the complete node selector of the pod after placement. The selector in the record may come from
// the pod's affinity only, so it is unknown whether the pod itself has one. Adding the same labels as a node selector
// is harmless.
func selectorOf(gate *pods.SchedulingGate, where Placement) map[string]string {
	selector := map[string]string{}
	maps.Copy(selector, gate.NodeSelector)
	maps.Copy(selector, where.NodeSelector)
	return selector
}

// members returns operations that add members to a map of strings in the order of their keys, and create the map first
// if it is absent.
func members(path string, absent bool, values map[string]string) []operation {
	var patch []operation
	if len(values) > 0 && absent {
		patch = append(patch, operation{"add", path, map[string]string{}})
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		patch = append(patch, operation{"add", path + "/" + escaped(key), values[key]})
	}
	return patch
}

// escaped escapes a key for use in a JSON pointer (RFC 6901).
func escaped(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
