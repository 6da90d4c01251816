// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package amounts

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"github.com/sparkgate/sparkgate/queueing"
)

// FieldError is an amount of a pod or of something that bears on pods, with the field that it stands in.
type FieldError struct {
	// Field within the object, such as spec.containers[0].resources.requests.memory.
	Field string
	// Err is the *RangeError.
	Err error
}

// Error returns field, value, problem and remedy.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the error without the field.
func (e *FieldError) Unwrap() error { return e.Err }

// Check reads a list of amounts at a field. The error is a *FieldError for the first in the order of the names.
func Check(field string, list corev1.ResourceList) error {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if _, err := Of(string(name), list[name]); err != nil {
			return &FieldError{Field: field + "." + string(name), Err: err}
		}
	}
	return nil
}

// OfPod returns what a node reserves for a pod: containers, init containers, sidecars, requests of the whole pod and
// overhead, by Kubernetes' own sum; "pods" is 1. The error is a *FieldError if one of its amounts, or a sum, is none
// (see Of): one negative request would hide others. A sum stands in no field, so that it is named in words.
func OfPod(pod *corev1.Pod) (queueing.Resources, error) {
	if err := checkParts(&pod.Spec); err != nil {
		return nil, err
	}
	sums := resource.PodRequests(pod, resource.PodResourcesOptions{})
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if _, err := Of(string(name), sums[name]); err != nil {
			return nil, &FieldError{Field: string(name) + " of the whole pod", Err: err}
		}
	}
	return withPod(ClampAll(sums)), nil
}

// checkParts reads every amount that the sum is built from, and the limits that stand in for absent requests.
func checkParts(spec *corev1.PodSpec) error {
	if err := checkContainers("spec.containers", spec.Containers); err != nil {
		return err
	}
	if err := checkContainers("spec.initContainers", spec.InitContainers); err != nil {
		return err
	}
	if spec.Resources != nil {
		if err := checkBoth("spec.resources", *spec.Resources); err != nil {
			return err
		}
	}
	return Check("spec.overhead", spec.Overhead)
}

func checkContainers(field string, containers []corev1.Container) error {
	for i := range containers {
		if err := checkBoth(fmt.Sprintf("%s[%d].resources", field, i), containers[i].Resources); err != nil {
			return err
		}
	}
	return nil
}

func checkBoth(field string, r corev1.ResourceRequirements) error {
	if err := Check(field+".requests", r.Requests); err != nil {
		return err
	}
	return Check(field+".limits", r.Limits)
}

// ClampPod returns what a node reserves for a pod that runs already: as OfPod does, but each amount that is none, and
// each sum, counts as the nearer end of the range.
func ClampPod(pod *corev1.Pod) queueing.Resources {
	if checkParts(&pod.Spec) != nil {
		pod = pod.DeepCopy()
		clampParts(&pod.Spec)
	}
	return withPod(ClampAll(resource.PodRequests(pod, resource.PodResourcesOptions{})))
}

func clampParts(spec *corev1.PodSpec) {
	for _, containers := range [][]corev1.Container{spec.Containers, spec.InitContainers} {
		for i := range containers {
			clampList(containers[i].Resources.Requests)
		}
	}
	if spec.Resources != nil {
		clampList(spec.Resources.Requests)
	}
	clampList(spec.Overhead)
}

func clampList(list corev1.ResourceList) {
	for name, q := range list {
		list[name] = Quantity(string(name), Clamp(string(name), q))
	}
}

// withPod adds the pod itself. A pod may not say that it is more or less than one.
func withPod(r queueing.Resources) queueing.Resources {
	if r == nil {
		r = queueing.Resources{}
	}
	r[string(corev1.ResourcePods)] = 1
	return r
}
