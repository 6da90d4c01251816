// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package demand

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"github.com/sparkgate/sparkgate/queueing"
)

// Requests returns what a node reserves for a pod in the environment: containers, init containers, sidecars and the overhead of the
// runtime class, after defaults. The pod is not changed. CPU is in thousandths of a core, all else in base units; "pods" is 1.
func (e Environment) Requests(pod *corev1.Pod) queueing.Resources {
	pod = pod.DeepCopy()
	e.addOverhead(pod)
	e.addDefaults(pod.Spec.Containers)
	e.addDefaults(pod.Spec.InitContainers)
	requests := queueing.Resources{string(corev1.ResourcePods): 1}
	for name, amount := range resource.PodRequests(pod, resource.PodResourcesOptions{}) {
		if name == corev1.ResourceCPU {
			requests[string(name)] = amount.MilliValue()
		} else {
			requests[string(name)] = amount.Value()
		}
	}
	return requests
}

// addOverhead adds what the runtime class costs, as the API server will.
func (e Environment) addOverhead(pod *corev1.Pod) {
	class := pod.Spec.RuntimeClassName
	if class == nil || pod.Spec.Overhead != nil {
		return
	}
	pod.Spec.Overhead = e.RuntimeClasses[*class]
}

// addDefaults fills absent requests: from limits that are written down, then from the defaults of limit ranges. (That is the order of the
// API server, which defaults an object before admission sees it.)
func (e Environment) addDefaults(containers []corev1.Container) {
	for i := range containers {
		resources := &containers[i].Resources
		requests := with(nil, resources.Limits)
		resources.Requests = with(requests, resources.Requests)
		for _, limitRange := range e.LimitRanges {
			for _, item := range limitRange.Spec.Limits {
				if item.Type == corev1.LimitTypeContainer {
					resources.Requests = with(defaultsOf(item), resources.Requests)
				}
			}
		}
	}
}

// defaultsOf returns the requests that a limit range gives to containers without: its default limit where it has no default request.
func defaultsOf(item corev1.LimitRangeItem) corev1.ResourceList {
	return with(item.Default, item.DefaultRequest)
}
