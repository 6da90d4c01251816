// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podsets

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The API server refuses pods that are larger or smaller than a limit range of their namespace allows, and pods that
// request more than the default limit of a limit range. For a driver that would show only after its quota was granted,
// and for executors only in the log of the driver, while it holds the quota of all of them.
//
// These checks report only certain mistakes: if several limit ranges have different defaults, any of them may apply.

// sized is a pod of a role as it will be created.
type sized struct {
	// path is the path of the role, such as spec.driver.
	path string
	pod  *corev1.Pod
	// spark is the index of Spark's container.
	spark int
}

// checkBounds returns an *EnvironmentError if a limit range of the namespace forbids the pod.
func (e Environment) checkBounds(s sized) error {
	for i := range e.LimitRanges {
		for _, item := range e.LimitRanges[i].Spec.Limits {
			b := bounds{s, e, item, cmp.Or(e.LimitRanges[i].Kind, "LimitRange") + " " + e.LimitRanges[i].Name + " of the namespace"}
			var err error
			switch item.Type {
			case corev1.LimitTypeContainer:
				err = b.checkContainers()
			case corev1.LimitTypePod:
				err = b.checkPod()
			}
			if err != nil {
				return &EnvironmentError{err}
			}
		}
	}
	return nil
}

// OfQuota returns a ResourceQuota as the LimitRange that forbids the same pods, however much of it is free: pods without
// a limit that it counts, and pods with a larger one than all of it. demands is false if there are none. Its version is
// that of these limits alone, because a quota changes with each pod.
func OfQuota(q *corev1.ResourceQuota) (r corev1.LimitRange, demands bool) {
	item := corev1.LimitRangeItem{Type: corev1.LimitTypePod, Max: corev1.ResourceList{}}
	r.Kind, r.Namespace, r.Name, r.UID = "ResourceQuota", q.Namespace, q.Name, q.UID
	for _, name := range slices.Sorted(maps.Keys(q.Spec.Hard)) {
		if counted, limits := strings.CutPrefix(string(name), "limits."); limits {
			most := q.Spec.Hard[name]
			item.Max[corev1.ResourceName(counted)] = most
			r.ResourceVersion += string(name) + "=" + most.String()
		}
	}
	r.Spec.Limits = []corev1.LimitRangeItem{item}
	return r, len(item.Max) > 0 && len(q.Spec.Scopes) == 0 && q.Spec.ScopeSelector == nil
}

// defaultLimit returns the largest of the limits that limit ranges give to containers without one; given is false if
// none does.
func (e Environment) defaultLimit(name corev1.ResourceName) (largest resource.Quantity, given bool) {
	limits := e.defaultLimits(name)
	if len(limits) == 0 {
		return resource.Quantity{}, false
	}
	return limits[len(limits)-1], true
}

// defaultLimits returns the limits that limit ranges give to containers without one, in ascending order.
func (e Environment) defaultLimits(name corev1.ResourceName) []resource.Quantity {
	var limits []resource.Quantity
	for i := range e.LimitRanges {
		for _, item := range e.LimitRanges[i].Spec.Limits {
			if limit, ok := item.Default[name]; ok && item.Type == corev1.LimitTypeContainer {
				limits = append(limits, limit)
			}
		}
	}
	slices.SortFunc(limits, func(a, b resource.Quantity) int { return a.Cmp(b) })
	return limits
}

// bounds checks a pod against one item of a limit range.
type bounds struct {
	sized
	Environment
	item corev1.LimitRangeItem
	// of names the limit range in messages.
	of string
}

// whole is used instead of the index of a container and means the whole pod.
const whole = -1

func (b bounds) checkContainers() error {
	for i := range b.pod.Spec.Containers {
		r := b.pod.Spec.Containers[i].Resources
		if err := cmp.Or(b.checkDefaults(i, r), b.check(i, "request", r.Requests), b.check(i, "limit", r.Limits), b.checkRatios(i, r)); err != nil {
			return err
		}
	}
	return nil
}

// checkDefaults returns an error if a request of a container is above the limit that the container will get by default.
func (b bounds) checkDefaults(container int, r corev1.ResourceRequirements) error {
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request := r.Requests[name]
		_, limited := r.Limits[name]
		_, here := b.item.Default[name]
		if given, ok := b.defaultLimit(name); ok && here && !limited && request.Cmp(given) > 0 {
			return fmt.Errorf("%s: value %q of the request is above the limit of %s %s that %s gives a container without one: set %s to %[2]s or more, or ask an administrator to change that",
				b.field(container, "request", name), request.String(), given.String(), name, b.of, b.field(container, "limit", name))
		}
	}
	return nil
}

// checkPod checks the sums over all containers. It skips pods with init containers or with resources of the whole pod,
// which change the sums; the API server checks these.
func (b bounds) checkPod() error {
	if len(b.pod.Spec.InitContainers) > 0 || b.pod.Spec.Resources != nil {
		return nil
	}
	requests, limits := corev1.ResourceList{}, corev1.ResourceList{}
	for i := range b.pod.Spec.Containers {
		add(requests, b.pod.Spec.Containers[i].Resources.Requests)
		add(limits, b.pod.Spec.Containers[i].Resources.Limits)
	}
	for _, name := range slices.Sorted(maps.Keys(b.item.Max)) {
		most := b.item.Max[name]
		_, limited := limits[name]
		if _, given := b.defaultLimit(name); !limited && !given {
			return fmt.Errorf("%s: value is absent, and %s bounds the limit of a pod to %s %s: set one, or ask an administrator to change that",
				b.field(whole, "limit", name), b.of, most.String(), name)
		}
	}
	if len(b.pod.Spec.Containers) > 1 {
		b.item.Min, b.item.MaxLimitRequestRatio = nil, nil // containers without amounts get defaults
	}
	sums := corev1.ResourceRequirements{Requests: requests, Limits: limits}
	return cmp.Or(b.check(whole, "request", requests), b.check(whole, "limit", limits), b.checkRatios(whole, sums))
}

// checkRatios holds limits to the multiple of the requests that the item allows. A limit is needed then, as the default
// of a limit range at least: of several defaults, the smallest may count.
func (b bounds) checkRatios(container int, r corev1.ResourceRequirements) error {
	for _, name := range slices.Sorted(maps.Keys(b.item.MaxLimitRequestRatio)) {
		most := b.item.MaxLimitRequestRatio[name]
		times := strconv.FormatFloat(most.AsApproximateFloat64(), 'g', -1, 64)
		limit, limited := r.Limits[name]
		request, requested := r.Requests[name]
		if !limited {
			defaults := b.defaultLimits(name)
			if len(defaults) == 0 {
				return fmt.Errorf("%s: value is absent, and %s bounds the limit of a %s to %s times its request of %s: set one, or ask an administrator to change that",
					b.field(container, "limit", name), b.of, word(container), times, name)
			}
			limit = defaults[0]
		}
		if requested && exceeds(limit, request, most) {
			return fmt.Errorf("%s: value %q of the limit is more than %s times the request of %s %s, the most that %s allows a %s: set less, request more, or ask an administrator to change that",
				b.field(container, "limit", name), limit.String(), times, request.String(), name, b.of, word(container))
		}
	}
	return nil
}

// exceeds reports whether a limit is more than a multiple of a request.
func exceeds(limit, request, most resource.Quantity) bool {
	const thousandths = 1000
	return float64(limit.MilliValue())*thousandths > float64(request.MilliValue())*float64(most.MilliValue())
}

// word says what an index of a container stands for.
func word(container int) string {
	if container == whole {
		return "pod"
	}
	return "container"
}

// check compares the requests or limits of a container, or of the whole pod, with the item.
func (b bounds) check(container int, what string, list corev1.ResourceList) error {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		amount, most, least := list[name], b.item.Max[name], b.item.Min[name]
		_, above := b.item.Max[name]
		_, below := b.item.Min[name]
		side, bound, instead := "", resource.Quantity{}, ""
		switch {
		case above && amount.Cmp(most) > 0:
			side, bound, instead = "above", most, "less"
		case below && amount.Cmp(least) < 0:
			side, bound, instead = "below", least, "more"
		default:
			continue
		}
		return fmt.Errorf("%s: value %q of the %s is %s the %s %s that %s allows a %s: set %s, or ask an administrator to change that",
			b.field(container, what, name), amount.String(), what, side, bound.String(), name, b.of, word(container), instead)
	}
	return nil
}

// field returns the field that sets a request or limit.
func (s sized) field(container int, what string, name corev1.ResourceName) string {
	switch {
	case container != whole && container != s.spark:
		return fmt.Sprintf("%s.template.spec.containers (%s)", s.path, s.pod.Spec.Containers[container].Name)
	case name == corev1.ResourceCPU && what == "limit":
		return s.path + ".coreLimit"
	case name == corev1.ResourceCPU:
		return s.path + ".coreRequest"
	case name == corev1.ResourceMemory:
		return s.path + ".memory"
	}
	return s.path + ".template.spec.containers"
}

func add(sums, list corev1.ResourceList) {
	for name, amount := range list {
		sum := sums[name]
		sum.Add(amount)
		sums[name] = sum
	}
}
