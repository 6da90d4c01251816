// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package preemption

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// targetSearch looks for a set of targets whose release lets one ask fit.
//
// During the search the forest is in a future state: terminating holders are gone, and the ask is charged. An ask may
// preempt
//   - in its own queue, as Preemption.Within allows;
//   - in another queue, as Preemption.Reclaim allows, if what is short was borrowed there on every level up to the
//     common ancestor, and the ask stays within the quota of its own subtree below that ancestor. An ask that borrows
//     itself may do so as Preemption.Borrow allows, or config.Queue.FairPreemption of the common ancestor (type
//     shareRule).
//
// Only askers that use what is short are candidates.
type targetSearch struct {
	preemption *Planner
	class      *state.Class
	preemptor  preemptor
	need       quota.Vector
	// past holds what the asker has already preempted in this run, spared what it would preempt in vain: it was
	// withdrawn before in this call of Cycle, or would take its quota back.
	past   map[queueing.Key]bool
	spared map[*state.Asker]bool
	// shares are the shares of the queues on the preemptor's path, with the ask.
	shares []quota.Share
}

// run finds a set of targets, all of which are necessary, and reports whether the ask fits without them. The set is
// empty if what is terminating anyway is enough. The ask must be charged; otherwise the forest is unchanged afterwards.
func (p *targetSearch) run() (targets []*state.Target, fits bool) {
	if p.preemptor.short.Empty() {
		return nil, p.fits()
	}
	chosen := p.collect()
	for spared := true; spared; { // repeat, because whether one target is necessary depends on the others
		chosen, spared = p.minimizeTargets(chosen)
	}
	legal, again := len(chosen) > 0 && p.fits() && p.allEligible(chosen), false
	for _, v := range chosen {
		if legal && p.takesBack(v) {
			p.spared[v.Asker], again = true, true
		}
	}
	for _, v := range chosen {
		v.UndoRelease(p.preemption.hierarchy.Forest)
	}
	switch {
	case again:
		return p.run()
	case !legal:
		return nil, false
	}
	return p.preemption.holders.MergeWholeTargets(chosen), true
}

// takesBack reports whether a target in another queue could preempt the ask in its turn when it asks again. The targets
// must be released.
func (p *targetSearch) takesBack(v *state.Target) bool {
	q, forest, next := v.Asker.Held.Queue, p.preemption.hierarchy.Forest, p.class.Next()
	if !v.Whole || q == p.preemptor.queue || q.Config == nil || q.StoppedBy != nil || !q.Config.Preemption.Reclaim.IsSet() ||
		p.preemptor.claims.PastTargets(v.Asker.Key, v.Asker.Held.Grant.Run)[next.Key] {
		return false
	}
	back := p.preemption.newPreemptor(q, v.Asker.Held.Standing, v.Vector)
	forest.Add(q.Node, v.Vector)
	defer forest.Remove(q.Node, v.Vector)
	started := &state.Asker{Key: next.Key, Held: &state.Held{
		Queue: p.preemptor.queue, Standing: p.preemptor.ask, Vector: p.need, Grant: queueing.Grant{Run: next.Ask.Run},
	}}
	return back.policyAllows(started) && p.need.Overlaps(back.short) &&
		back.isEligible(&state.Target{Asker: started, Whole: true, Vector: p.need}, initialShare)
}

// minimizeTargets finds one target, or one pod of it, that is not necessary, trying the last chosen one first. It
// returns the remaining targets, and whether it found one.
func (p *targetSearch) minimizeTargets(chosen []*state.Target) (rest []*state.Target, spared bool) {
	for i := len(chosen) - 1; i >= 0; i-- {
		v := chosen[i]
		if len(chosen) == 1 && v.Count == 1 {
			break
		}
		v.ReturnOne(p.preemption.hierarchy.Forest)
		rest := chosen
		if v.Count == 0 {
			rest = slices.Delete(slices.Clone(chosen), i, i+1)
		}
		if p.fits() && p.allEligible(rest) {
			return rest, true
		}
		v.TakeOne(p.preemption.hierarchy.Forest)
	}
	return chosen, false
}

// takeOne takes one unit of a target. The first unit adds the target to the chosen ones.
func (p *targetSearch) takeOne(v *state.Target, chosen []*state.Target) []*state.Target {
	if v.Count == 0 {
		v.Vector = p.vectorOf(v, chosen)
		chosen = append(chosen, v)
	}
	v.TakeOne(p.preemption.hierarchy.Forest)
	return chosen
}

// vectorOf returns the need of one unit of a target when the targets in gone are gone.
func (p *targetSearch) vectorOf(v *state.Target, gone []*state.Target) quota.Vector {
	if v.Whole {
		return p.preemption.holders.VectorWithout(v.Asker, gone)
	}
	return v.Vector
}

// wholeTargets returns an asker as a target if it may be preempted as a whole.
func (p *targetSearch) wholeTargets(a *state.Asker) []*state.Target {
	if !p.preemptor.policyAllows(a) || !a.Held.Vector.Overlaps(p.preemptor.short) || p.past[a.Key] || p.spared[a] {
		return nil
	}
	return []*state.Target{{Asker: a, Whole: true, Max: 1}}
}

// podTargets returns the pods above the base gang of an asker that may be preempted, by flavor, starting with the
// flavor that was added last.
func (p *targetSearch) podTargets(a *state.Asker) []*state.Target {
	if !p.preemptor.policyAllows(a) && !p.preemptor.policyAllowsPods(a) {
		return nil
	}
	var out []*state.Target
	for i := range slices.Backward(a.Held.Grant.PodSets) {
		set := &a.Held.Grant.PodSets[i]
		if !set.Elastic || set.Count <= a.Held.ReclaimPending(set.Flavor) {
			continue
		}
		v := &state.Target{Asker: a, Flavor: set.Flavor, Max: set.Count - a.Held.ReclaimPending(set.Flavor)}
		v.Vector = p.preemption.hierarchy.Forest.Prepare(a.Held.Queue.Node, placement.AppendAmounts(nil, set.Flavor, 1, set.Requests))
		if v.Vector.Overlaps(p.preemptor.short) {
			out = append(out, v)
		}
	}
	return out
}

// allEligible reports whether every chosen target would be eligible if it were taken last, and records by which rule.
func (p *targetSearch) allEligible(chosen []*state.Target) bool {
	for _, v := range chosen {
		v.ReturnOne(p.preemption.hierarchy.Forest)
		legal := p.preemptor.isEligible(v, initialShare)
		v.TakeOne(p.preemption.hierarchy.Forest)
		if !legal {
			return false
		}
	}
	return true
}

// fits reports whether the ask fits in the current state of the forest.
func (p *targetSearch) fits() bool {
	p.preemption.hierarchy.Forest.Remove(p.preemptor.queue.Node, p.need)
	defer p.preemption.hierarchy.Forest.Add(p.preemptor.queue.Node, p.need)
	return p.preemption.reservations.FitsLater(p.class, p.need)
}
