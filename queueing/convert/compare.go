// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// SameGrant reports whether two grants of an attempt are equal.
func SameGrant(a, b *v1alpha1.Grant) bool {
	return a.Resizes == b.Resizes && slices.EqualFunc(a.PodSets, b.PodSets, samePodSet)
}

func samePodSet(a, b v1alpha1.PodSetGrant) bool {
	return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
}

// OnlySmaller reports whether no pod set of the next grant is larger than before.
func OnlySmaller(next, before *v1alpha1.Grant) bool {
	if next.Resizes != before.Resizes {
		return false
	}
	for _, p := range next.PodSets {
		same := func(q v1alpha1.PodSetGrant) bool {
			return q.Name == p.Name && q.Flavor == p.Flavor && q.Elastic == p.Elastic && q.Count >= p.Count
		}
		if !slices.ContainsFunc(before.PodSets, same) {
			return false
		}
	}
	return true
}

// AskDifference is how an ask differs from the one before it.
type AskDifference struct {
	// More is true if it asks for more of something, Flavors if it may be placed in other flavors, and Any if it
	// differs in anything other than flavors.
	More, Flavors, Any bool
}

// CompareAsks returns how an ask differs from the one before it. Both must have the same number of pod sets.
func CompareAsks(before, now *v1alpha1.Ask) (d AskDifference) {
	for i := range now.PodSets {
		a, b := &before.PodSets[i], &now.PodSets[i]
		more, differs := asksForMore(a, b)
		d.More, d.Any, d.Flavors = d.More || more, d.Any || differs, d.Flavors || !slices.Equal(a.Flavors, b.Flavors)
	}
	return d
}

// asksForMore reports whether a pod set asks for more of anything than before, and whether it differs at all.
func asksForMore(before, now *v1alpha1.PodSetAsk) (more, differs bool) {
	more = before.Name != now.Name || now.Count > before.Count || leastOf(now) > leastOf(before)
	differs = now.Count != before.Count || leastOf(now) != leastOf(before) || len(now.Requests) != len(before.Requests)
	for name, q := range now.Requests {
		c := q.Cmp(before.Requests[name])
		more, differs = more || c > 0, differs || c != 0
	}
	return more, more || differs
}

// leastOf returns the smallest number of pods with which a set can start.
func leastOf(p *v1alpha1.PodSetAsk) int32 {
	return queueing.PodSet{Count: p.Count, MinCount: p.MinCount}.Least()
}
