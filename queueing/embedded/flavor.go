// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	schedulinghelper "k8s.io/component-helpers/scheduling/corev1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// placements returns the search for placements of pods in the flavors of a queue. If a pod set fits no flavor, it
// returns the verdict that says why.
func (hr *hierarchy) placements(q *queue, s *signature) (*placementSearch, queueing.Verdict) {
	search := &placementSearch{hierarchy: hr, queue: q, signature: s}
	for _, p := range s.podSets {
		usable, why := hr.usableFlavors(q, p)
		if len(usable) == 0 {
			return nil, queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonFlavorMismatch, Message: why}
		}
		search.usable = append(search.usable, usable)
	}
	return search, queueing.Verdict{}
}

// usableFlavors returns the flavors of a queue in which a pod set may be placed, in the order of the queue. If there
// are none, why says so.
func (hr *hierarchy) usableFlavors(q *queue, p queueing.PodSet) (usable []*config.Flavor, why string) {
	labelled := map[string]bool{}
	for _, name := range q.flavors {
		if f := hr.flavors[name]; f != nil {
			for key := range f.NodeLabels {
				labelled[key] = true
			}
		}
	}
	for _, name := range q.flavors {
		f := hr.flavors[name]
		reason := mismatch(f, p, labelled)
		switch {
		case f == nil:
			reason = fmt.Sprintf("flavor %s does not exist", name)
		case len(p.Flavors) > 0 && !slices.Contains(p.Flavors, name):
			reason = fmt.Sprintf("flavor %s is not one of the requested flavors (%s)", name, list(p.Flavors))
		case reason == "":
			usable = append(usable, f)
			continue
		}
		if why == "" {
			why = fmt.Sprintf("no flavor of queue %s fits the %s pods: %s", q.name, p.Name, reason)
		} else {
			why += "; " + reason
		}
	}
	return usable, why
}

// mismatch returns why pods cannot run on the nodes of a flavor, or the empty string if they can. It checks only those
// labels of the pods' node selector that some flavor of the queue has; others are left to the scheduler.
func mismatch(f *config.Flavor, p queueing.PodSet, labelled map[string]bool) string {
	if f == nil {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(p.NodeSelector)) {
		if labelled[key] && f.NodeLabels[key] != p.NodeSelector[key] {
			return fmt.Sprintf("the pods select nodes with %s=%s, but nodes of flavor %s have %s", key, p.NodeSelector[key], f.Name,
				labelText(f, key))
		}
	}
	tolerations := append(slices.Clone(p.Tolerations), f.Tolerations...)
	hard := func(t *corev1.Taint) bool { return t.Effect != corev1.TaintEffectPreferNoSchedule }
	taint, left := schedulinghelper.FindMatchingUntoleratedTaint(logr.Discard(), f.NodeTaints, tolerations, hard, false)
	if left {
		return fmt.Sprintf("nodes of flavor %s have the taint %s, which neither the pods nor the flavor tolerate", f.Name, taint.ToString())
	}
	return ""
}

func labelText(f *config.Flavor, key string) string {
	if value, has := f.NodeLabels[key]; has {
		return key + "=" + value
	}
	return "no such label"
}
