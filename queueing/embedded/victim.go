// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// victim is what somebody may have to give back: pods above a base gang in one flavor, or, if it is whole, all that an application has
// left.
type victim struct {
	app   *app
	whole bool
	// flavor of the pods, and how many there are.
	flavor string
	most   int32
	// count of the pods that are to go; 1 for a whole application that is.
	count int32
	// vector is what one of them needs.
	vector quota.Vector
}

// exhausted says that there is no more to take.
func (v *victim) exhausted() bool { return v.count == v.most }

// more imagines that one more is gone, and less that one is not.
func (v *victim) more(e *Engine) {
	v.count++
	e.forest.Remove(v.app.held.queue.node, v.vector)
}

func (v *victim) less(e *Engine) {
	v.count--
	e.forest.Add(v.app.held.queue.node, v.vector)
}

// takeOut imagines that all that are to go are gone, and putBack that none is.
func (v *victim) takeOut(e *Engine) {
	for range v.count {
		e.forest.Remove(v.app.held.queue.node, v.vector)
	}
}

func (v *victim) putBack(e *Engine) {
	for range v.count {
		e.forest.Add(v.app.held.queue.node, v.vector)
	}
}

// wholeVictim is all that an application has left when some of its pods are gone, and what is asked back.
func (e *Engine) wholeVictim(a *app, gone []*victim) *victim {
	left := a.held.grant
	left.PodSets = slices.Clone(left.PodSets)
	for i := range left.PodSets {
		if p := &left.PodSets[i]; p.Elastic {
			p.Count -= a.held.owed(p.Flavor)
			for _, v := range gone {
				if v.app == a && !v.whole && v.flavor == p.Flavor {
					p.Count -= v.count
				}
			}
		}
	}
	return &victim{app: a, whole: true, most: 1, vector: e.forest.Prepare(a.held.queue.node, granted(left))}
}

// wholeOnce leaves out single pods of applications that are displaced as a whole.
func (e *Engine) wholeOnce(chosen []*victim) []*victim {
	var out []*victim
	for _, v := range chosen {
		switch {
		case v.whole:
			all := e.wholeVictim(v.app, nil)
			all.count = 1
			out = append(out, all)
		case !goesWhole(v.app, chosen):
			out = append(out, v)
		}
	}
	return out
}

// goesWhole says that all of an application is among the chosen.
func goesWhole(a *app, chosen []*victim) bool {
	return slices.ContainsFunc(chosen, func(v *victim) bool { return v.whole && v.app == a })
}
