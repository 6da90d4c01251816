// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// Requests returns what a node reserves for a pod in this environment: containers, init containers, sidecars and the
// overhead of the runtime class, after defaulting. The pod is not changed. CPU is in thousandths of a core, everything
// else in base units, and "pods" is 1. The error is an *amounts.FieldError for an invalid amount in the pod, an
// *EnvironmentError for one that the environment adds, and another type if requests of the whole pod are below those of
// its containers.
func (e Environment) Requests(pod *corev1.Pod) (queueing.Resources, error) {
	if err := e.check(pod); err != nil {
		return nil, err
	}
	pod = pod.DeepCopy()
	e.addOverhead(pod)
	e.addDefaults(pod.Spec.Containers)
	e.addDefaults(pod.Spec.InitContainers)
	defaultWholePod(&pod.Spec)
	requests, err := amounts.OfPod(pod)
	if err == nil {
		err = checkWholePod(&pod.Spec)
	}
	return requests, err
}

// EnvironmentError is the error for an amount of the namespace or the cluster that cannot be counted, or that forbids a
// pod. It can go away without a change of the application.
type EnvironmentError struct{ Err error }

// Error names the object, the field in it, the value and the remedy.
func (e *EnvironmentError) Error() string { return e.Err.Error() }

// check returns an error if an amount that the environment can add to a pod is invalid.
func (e Environment) check(pod *corev1.Pod) error {
	for i := range e.LimitRanges {
		r := &e.LimitRanges[i]
		for j, item := range r.Spec.Limits {
			if item.Type != corev1.LimitTypeContainer {
				continue
			}
			field := fmt.Sprintf("LimitRange %s of the namespace: spec.limits[%d].", r.Name, j)
			if err := cmp.Or(amounts.Check(field+"defaultRequest", item.DefaultRequest), amounts.Check(field+"default", item.Default)); err != nil {
				return &EnvironmentError{err}
			}
		}
	}
	if class := pod.Spec.RuntimeClassName; class != nil && pod.Spec.Overhead == nil {
		if err := amounts.Check(fmt.Sprintf("RuntimeClass %s: overhead.podFixed", *class), e.RuntimeClasses[*class]); err != nil {
			return &EnvironmentError{err}
		}
	}
	return nil
}

// addOverhead sets the overhead of the runtime class, as the API server will.
func (e Environment) addOverhead(pod *corev1.Pod) {
	class := pod.Spec.RuntimeClassName
	if class == nil || pod.Spec.Overhead != nil {
		return
	}
	pod.Spec.Overhead = e.RuntimeClasses[*class]
}

// addDefaults fills in missing requests: from the limits in the spec, then from the defaults of limit ranges. This is
// the order of the API server, which sets defaults before admission.
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

// defaultsOf returns the default requests of a limit range. A resource without one gets the default limit.
func defaultsOf(item corev1.LimitRangeItem) corev1.ResourceList {
	return with(item.Default, item.DefaultRequest)
}
