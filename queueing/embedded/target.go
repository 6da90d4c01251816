// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// target is what a holder may have to release: pods above its base gang in one flavor, or, if it is whole, all that
// the application has left.
type target struct {
	app   *app
	whole bool
	// flavor of the pods, and how many there are.
	flavor string
	max    int32
	// count of the pods that are to go; 1 for a whole application that is.
	count int32
	// vector is what one of them needs.
	vector quota.Vector
}

// exhausted reports whether nothing more can be taken.
func (v *target) exhausted() bool { return v.count == v.max }

// takeOne simulates the release of one more pod; returnOne reverts it.
func (v *target) takeOne(forest *quota.Forest) {
	v.count++
	forest.Remove(v.app.held.queue.node, v.vector)
}

func (v *target) returnOne(forest *quota.Forest) {
	v.count--
	forest.Add(v.app.held.queue.node, v.vector)
}

// simulateRelease simulates the release of all that were taken; undoRelease reverts it.
func (v *target) simulateRelease(forest *quota.Forest) {
	for range v.count {
		forest.Remove(v.app.held.queue.node, v.vector)
	}
}

func (v *target) undoRelease(forest *quota.Forest) {
	for range v.count {
		forest.Add(v.app.held.queue.node, v.vector)
	}
}

// wholeTarget is all that an application has left when some of its pods are gone, and what is asked back.
func (hs *holders) wholeTarget(a *app, gone []*target) *target {
	left := a.held.grant
	left.PodSets = slices.Clone(left.PodSets)
	for i := range left.PodSets {
		if p := &left.PodSets[i]; p.Elastic {
			p.Count -= a.held.reclaimPending(p.Flavor)
			for _, v := range gone {
				if v.app == a && !v.whole && v.flavor == p.Flavor {
					p.Count -= v.count
				}
			}
		}
	}
	return &target{app: a, whole: true, max: 1, vector: hs.hierarchy.forest.Prepare(a.held.queue.node, chargedAmounts(left))}
}

// mergeWholeTargets leaves out single pods of applications that are displaced as a whole.
func (hs *holders) mergeWholeTargets(chosen []*target) []*target {
	var out []*target
	for _, v := range chosen {
		switch {
		case v.whole:
			all := hs.wholeTarget(v.app, nil)
			all.count = 1
			out = append(out, all)
		case !includesWhole(v.app, chosen):
			out = append(out, v)
		}
	}
	return out
}

// includesWhole reports whether an application is among the chosen as a whole.
func includesWhole(a *app, chosen []*target) bool {
	return slices.ContainsFunc(chosen, func(v *target) bool { return v.whole && v.app == a })
}
