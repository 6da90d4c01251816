// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// allocation divides the quota of an elastic grant among the executors that exist: it decides which gated executors are
// ungated, which are evicted, and what the grant is afterwards.
type allocation struct {
	executors
	current *queueing.Allocation
	// grant is the grant that will be written to the status.
	grant   queueing.Grant
	ungates []Ungate
	toEvict []*pods.Record
}

// granted returns the number of executors of a flavor that the grant has quota for. With onlyAbove it counts only the
// pod sets above the base gang.
func (al *allocation) granted(flavor string, onlyAbove bool) int32 {
	var n int32
	for i := range al.grant.PodSets {
		if p := &al.grant.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == flavor && (p.Elastic || !onlyAbove) {
			n += p.Count
		}
	}
	return n
}

// elasticSet returns the pod set of a flavor above the base gang, and adds it to the grant if there is none.
func (al *allocation) elasticSet(flavor string) *queueing.PodSetGrant {
	for i := range al.grant.PodSets {
		if p := &al.grant.PodSets[i]; p.Elastic && p.Flavor == flavor {
			return p
		}
	}
	al.grant.PodSets = append(al.grant.PodSets, queueing.PodSetGrant{
		Name: v1alpha1.ExecutorPodSet, Flavor: flavor, Requests: amounts.ClampAll(al.base.Requests), Elastic: true,
	})
	return &al.grant.PodSets[len(al.grant.PodSets)-1]
}

// chargeAdmitted adds quota to the grant for pods that have passed the scheduling gate without having any. Another
// actor, such as a user, must have ungated them.
func (al *allocation) chargeAdmitted() {
	for _, flavor := range slices.Sorted(maps.Keys(al.admittedCount)) {
		if more := al.admittedCount[flavor] - al.granted(flavor, false); more > 0 {
			al.elasticSet(flavor).Count += more
		}
	}
}

// ungateFitting ungates the pods for which the grant has quota, oldest first: in the base gang, then in the pod sets
// above it. Quota that is being reclaimed is not used for it.
func (al *allocation) ungateFitting() {
	waiting := al.gated
	for i := range al.grant.PodSets {
		p := &al.grant.PodSets[i]
		if p.Name != v1alpha1.ExecutorPodSet {
			continue
		}
		for _, u := range al.unanswered { // Repeats a write that got no response.
			if u.flavor == p.Flavor && !al.isUngated(u.pod) {
				al.ungate(u.pod, p)
			}
		}
		free := al.granted(p.Flavor, false) - al.current.ReclaimedIn(p.Flavor) - al.admittedCount[p.Flavor]
		if !p.Elastic {
			free = min(free, p.Count)
		}
		for range min(max(0, free), int32(len(waiting))) {
			al.ungate(waiting[0], p)
			al.admittedCount[p.Flavor]++
			waiting = waiting[1:]
		}
	}
}

// isUngated reports whether this allocation already ungates the pod.
func (al *allocation) isUngated(pod *pods.Record) bool {
	return slices.ContainsFunc(al.ungates, func(r Ungate) bool { return r.Pod == pod })
}

// ungate adds a pod to those to ungate, with the flavor, node selector, tolerations and labels of the pod set.
func (al *allocation) ungate(r *pods.Record, p *queueing.PodSetGrant) {
	al.ungates = append(al.ungates, Ungate{
		Pod: r, Flavor: p.Flavor, NodeSelector: p.NodeSelector, Tolerations: p.Tolerations, Labels: p.Labels,
	})
}

// shrink removes unused quota above the base gang from the grant, and chooses executors to evict if the gate reclaims
// quota that is in use.
func (al *allocation) shrink() {
	for i := range al.grant.PodSets {
		p := &al.grant.PodSets[i]
		if !p.Elastic {
			continue
		}
		base := al.granted(p.Flavor, false) - al.granted(p.Flavor, true)
		most := base + p.Count - al.current.ReclaimedIn(p.Flavor)
		p.Count = min(p.Count, max(0, al.admittedCount[p.Flavor]-base))
		if tooMany := al.weights(al.admitted[p.Flavor]) - max(0, most); al.current.ReclaimedIn(p.Flavor) > 0 && tooMany > 0 {
			al.toEvict = append(al.toEvict, al.evictionOrder(al.admitted[p.Flavor], tooMany)...)
		}
	}
	al.grant.PodSets = slices.DeleteFunc(al.grant.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic && p.Count == 0 })
}

// evictionOrder returns the executors to evict first: those that are not ready, then the newest. Together they weigh at
// least weight, if there are enough of them.
func (al *allocation) evictionOrder(admitted []*pods.Record, weight int32) []*pods.Record {
	ordered := slices.Clone(admitted)
	slices.SortFunc(ordered, func(a, b *pods.Record) int {
		if a.Ready != b.Ready {
			if b.Ready {
				return -1
			}
			return 1
		}
		return byAge(b, a)
	})
	for i, r := range ordered {
		if weight -= al.weight(r); weight <= 0 {
			return ordered[:i+1]
		}
	}
	return ordered
}
