// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// target is what somebody may have to give back: pods above a base gang in one flavor, or, if it is whole, all that an application has
// left.
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

// exhausted says that there is no more to take.
func (v *target) exhausted() bool { return v.count == v.max }

// takeOne imagines that one more is gone, and less that one is not.
func (v *target) takeOne(e *Engine) {
	v.count++
	e.forest.Remove(v.app.held.queue.node, v.vector)
}

func (v *target) returnOne(e *Engine) {
	v.count--
	e.forest.Add(v.app.held.queue.node, v.vector)
}

// simulateRelease imagines that all that are to go are gone, and putBack that none is.
func (v *target) simulateRelease(e *Engine) {
	for range v.count {
		e.forest.Remove(v.app.held.queue.node, v.vector)
	}
}

func (v *target) undoRelease(e *Engine) {
	for range v.count {
		e.forest.Add(v.app.held.queue.node, v.vector)
	}
}

// wholeTarget is all that an application has left when some of its pods are gone, and what is asked back.
func (e *Engine) wholeTarget(a *app, gone []*target) *target {
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
	return &target{app: a, whole: true, max: 1, vector: e.forest.Prepare(a.held.queue.node, chargedAmounts(left))}
}

// mergeWholeTargets leaves out single pods of applications that are displaced as a whole.
func (e *Engine) mergeWholeTargets(chosen []*target) []*target {
	var out []*target
	for _, v := range chosen {
		switch {
		case v.whole:
			all := e.wholeTarget(v.app, nil)
			all.count = 1
			out = append(out, all)
		case !includesWhole(v.app, chosen):
			out = append(out, v)
		}
	}
	return out
}

// includesWhole says that all of an application is among the chosen.
func includesWhole(a *app, chosen []*target) bool {
	return slices.ContainsFunc(chosen, func(v *target) bool { return v.whole && v.app == a })
}
