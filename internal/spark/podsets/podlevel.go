// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// defaultWholePod sets missing requests of the whole pod to its limits, as the API server does for resources that no
// container requests. Requests of the containers, which must have their defaults already, count in all other cases.
func defaultWholePod(spec *corev1.PodSpec) {
	if spec.Resources == nil {
		return
	}
	requests := with(nil, spec.Resources.Requests)
	for name, limit := range spec.Resources.Limits {
		_, requested := requests[name]
		_, ofContainers := requestsOfContainers(spec)[name]
		if !requested && !ofContainers && resource.IsSupportedPodLevelResource(name) {
			requests[name] = limit
		}
	}
	spec.Resources.Requests = requests
}

// checkWholePod returns an error if a request of the whole pod is below the sum of its containers. API servers with
// pod-level resources refuse that as well; older ones drop them silently, and the pod would use more than it is
// charged.
func checkWholePod(spec *corev1.PodSpec) error {
	if spec.Resources == nil {
		return nil
	}
	containers := requestsOfContainers(spec)
	for _, name := range slices.Sorted(maps.Keys(spec.Resources.Requests)) {
		whole, sum := spec.Resources.Requests[name], containers[name]
		if resource.IsSupportedPodLevelResource(name) && whole.Cmp(sum) < 0 {
			return fmt.Errorf("spec.resources.requests.%s: value %q is less than the %s that the containers request together: set that or more, or remove it",
				name, whole.String(), sum.String())
		}
	}
	return nil
}

// requestsOfContainers returns the most that containers, init containers and sidecars request at any time.
func requestsOfContainers(spec *corev1.PodSpec) corev1.ResourceList {
	return resource.AggregateContainerRequests(&corev1.Pod{Spec: *spec}, resource.PodResourcesOptions{})
}
