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

// Requests returns what a node reserves for a pod in the environment: containers, init containers, sidecars and the
// overhead of the runtime class, after defaults. The pod is not changed. CPU is in thousandths of a core, all else in
// base units; "pods" is 1. The error is an *amounts.FieldError for what is not an amount in the pod, an
// *EnvironmentError in what the environment adds, and another for requests of the whole pod that its containers exceed.
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

// EnvironmentError is an amount of the namespace or of the cluster that cannot be counted, or that keeps a pod from being
// created. It may change without the application.
type EnvironmentError struct{ Err error }

// Error names the object, the field in it, the value and the remedy.
func (e *EnvironmentError) Error() string { return e.Err.Error() }

// check reads the amounts that the environment may add to a pod.
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

// addOverhead adds what the runtime class costs, as the API server will.
func (e Environment) addOverhead(pod *corev1.Pod) {
	class := pod.Spec.RuntimeClassName
	if class == nil || pod.Spec.Overhead != nil {
		return
	}
	pod.Spec.Overhead = e.RuntimeClasses[*class]
}

// addDefaults fills absent requests: from limits that are written down, then from the defaults of limit ranges. (That
// is the order of the API server, which defaults an object before admission sees it.)
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

// defaultsOf returns the requests that a limit range gives to containers without: its default limit where it has no
// default request.
func defaultsOf(item corev1.LimitRangeItem) corev1.ResourceList {
	return with(item.Default, item.DefaultRequest)
}
