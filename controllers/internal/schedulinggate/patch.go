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
	"github.com/sparkgate/sparkgate/internal/pods"
)

// Placement is where a pod may run once it is ungated.
type Placement struct {
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Labels that say what it is charged to.
	Labels map[string]string
}

// RemovalPatch returns the JSON patch that places a pod and removes its gate, if it is still as it was seen. A gated
// pod may only gain placement. unlabelled says that the pod was seen without any label. The pod has a Gate.
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
		panic(err) // strings and tolerations always have a form
	}
	return data
}

// operation is one of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// selectorOf returns the whole node selector of a pod that is placed. What the record has may come from the pod's affinity
// alone: whether the pod has a node selector is not known, and it may gain one that says the same.
func selectorOf(gate *pods.SchedulingGate, where Placement) map[string]string {
	selector := map[string]string{}
	maps.Copy(selector, gate.NodeSelector)
	maps.Copy(selector, where.NodeSelector)
	return selector
}

// members adds members to a map of texts, in the order of their keys, and the map first if it is absent.
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

// escaped returns a key as a part of a path (RFC 6901).
func escaped(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }
