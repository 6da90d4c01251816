// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package amounts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"github.com/sparkgate/sparkgate/queueing"
)

// FieldError is the error that a field has an invalid amount, in a pod or in something that affects pods.
type FieldError struct {
	// Field is the path within the object, such as spec.containers[0].resources.requests.memory.
	Field string
	// Err is the *RangeError.
	Err error
}

// Error returns field, value, problem and remedy.
func (e *FieldError) Error() string { return e.Field + ": " + e.Err.Error() }

// Unwrap returns the error without the field.
func (e *FieldError) Unwrap() error { return e.Err }

// Check checks a list of amounts in a field. The error is a *FieldError for the first invalid one in the order of
// names.
func Check(field string, list corev1.ResourceList) error {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		if _, err := Of(string(name), list[name]); err != nil {
			return &FieldError{Field: field + "." + string(name), Err: err}
		}
	}
	return nil
}

const (
	// MaxResources is how many different resources a pod that asks for quota may request, and maxNames the total length
	// of their names in bytes. Both are more than any node has. Users can invent names, each grant repeats them all,
	// and each write of a ledger contains the grants of all users that are in flight.
	MaxResources = 16
	maxNames     = 512
)

// OfPod returns what a node reserves for a pod: containers, init containers, sidecars, requests of the whole pod and
// overhead, summed as Kubernetes does; "pods" is 1. The error is a *FieldError if one of the amounts or a sum is
// invalid (see Of), because one negative request would hide others, or if the pod requests too many different
// resources. A sum is in no field, so the error describes it in words.
func OfPod(pod *corev1.Pod) (queueing.Resources, error) {
	if err := checkParts(&pod.Spec); err != nil {
		return nil, err
	}
	sums := resource.PodRequests(pod, resource.PodResourcesOptions{})
	if err := checkNumber(sums); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if _, err := Of(string(name), sums[name]); err != nil {
			return nil, &FieldError{Field: string(name) + " of the whole pod", Err: err}
		}
	}
	return withPod(ClampAll(sums)), nil
}

// checkNumber checks that a pod does not have too many resources, or too long names, to be stored.
func checkNumber(sums corev1.ResourceList) error {
	names := 0
	for name := range sums {
		names += len(name)
	}
	switch {
	case len(sums) > MaxResources:
		return &FieldError{Field: "resources of the whole pod", Err: &RangeError{Value: strconv.Itoa(len(sums)),
			Problem: fmt.Sprintf("is above %d, the most different ones that are counted", MaxResources), Remedy: "set fewer"}}
	case names > maxNames:
		return &FieldError{Field: "names of the resources of the whole pod", Err: &RangeError{Value: strconv.Itoa(names),
			Problem: fmt.Sprintf("is above %d, the most bytes that are counted", maxNames), Remedy: "set fewer, or shorter ones"}}
	}
	return nil
}

// checkParts checks every amount that goes into the sum, including the limits that replace missing requests.
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

// ClampPod is OfPod for a pod that is already running: instead of returning an error it replaces invalid amounts and
// sums by the nearest valid amount.
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

// withPod sets the resource "pods" to 1, whatever the pod itself requests of it.
func withPod(r queueing.Resources) queueing.Resources {
	if r == nil {
		r = queueing.Resources{}
	}
	r[string(corev1.ResourcePods)] = 1
	return r
}
