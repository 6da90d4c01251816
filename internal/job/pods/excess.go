// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
)

// maxListed bounds how many tolerations, node labels and resources are remembered of a pod behind a gate. Only the size
// of an object bounds how many a user can put into a pod, and such a pod costs that user nothing but an entry in the
// API server.
const maxListed = 64

// excessOf returns a message about the field of which a pod has more entries than are remembered; empty if there is
// none.
func excessOf(pod *corev1.Pod, requests queueing.Resources) string {
	for _, list := range []struct {
		field string
		has   int
	}{{"spec.tolerations", len(pod.Spec.Tolerations)}, {"spec.nodeSelector", len(pod.Spec.NodeSelector)}, {"its containers' resources", len(requests)}} {
		if list.has > maxListed {
			return fmt.Sprintf("%s has more than %d entries, the most that is remembered: remove some", list.field, maxListed)
		}
	}
	return ""
}

// CapResources returns requests for at most as many resources as are remembered of a pod. CPU and memory are always
// among them.
func CapResources(requests queueing.Resources) queueing.Resources {
	if len(requests) <= maxListed {
		return requests
	}
	few := queueing.Resources{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourcePods} {
		few[string(name)] = requests[string(name)]
	}
	for _, name := range slices.Sorted(maps.Keys(requests))[:maxListed-len(few)] {
		few[name] = requests[name]
	}
	return few
}
