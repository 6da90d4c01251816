// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
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
	preemption *preemption
	class      *equivalenceClass
	app        *app
	need       quota.Vector
	// short is the part of the need that does not fit.
	short quota.Vector
	// past holds what the asker has already preempted in this run.
	past map[queueing.Key]bool
	// oldest and newest bound the serials of grants that may be targets: oldest is inclusive, newest exclusive.
	oldest, newest uint64
	// path holds the queue of the ask and all queues above it, in this order; shares are their shares with the ask.
	path   []*queue
	shares []quota.Share
}

// run finds a set of targets, all of which are necessary, and reports whether the ask fits without them. The set is
// empty if what is terminating anyway is enough. The forest is unchanged afterwards.
func (p *targetSearch) run() (targets []*target, fits bool) {
	p.preemption.hierarchy.forest.Add(p.class.queue.node, p.need)
	defer p.preemption.hierarchy.forest.Remove(p.class.queue.node, p.need)
	if !p.mayFindTargets() {
		return nil, false
	}
	if p.short.Empty() {
		return nil, p.fits()
	}
	collect := p.collectTargets
	if p.class.queue.tree.fairSharing {
		collect = p.collectByShares
	}
	chosen := collect()
	for spared := true; spared; { // repeat, because whether one target is necessary depends on the others
		chosen, spared = p.minimizeTargets(chosen)
	}
	legal := len(chosen) > 0 && p.fits() && p.allEligible(chosen)
	for _, v := range chosen {
		v.undoRelease(p.preemption.hierarchy.forest)
	}
	if !legal {
		return nil, false
	}
	return p.preemption.holders.mergeWholeTargets(chosen), true
}

// mayFindTargets reports, looking only at the queue of the ask and those above it, whether there may be targets: in the
// queue itself, or elsewhere because the ask stays within the quota of its subtree on some level or may borrow.
func (p *targetSearch) mayFindTargets() bool {
	policy := p.class.queue.config.Preemption
	if policy.Within.IsSet() || policy.Borrow == config.PreemptLowerPriority || policy.Reclaim.IsSet() && p.class.queue.tree.fairSharing {
		return true
	}
	contested := p.short
	if contested.Empty() {
		contested = p.need
	}
	return policy.Reclaim.IsSet() && slices.ContainsFunc(p.path[:len(p.path)-1], func(side *queue) bool {
		return !p.preemption.hierarchy.forest.Over(side.node, contested)
	})
}

// minimizeTargets finds one target, or one pod of it, that is not necessary, trying the last chosen one first. It
// returns the remaining targets, and whether it found one.
func (p *targetSearch) minimizeTargets(chosen []*target) (rest []*target, spared bool) {
	for i := len(chosen) - 1; i >= 0; i-- {
		v := chosen[i]
		if len(chosen) == 1 && v.count == 1 {
			break
		}
		v.returnOne(p.preemption.hierarchy.forest)
		rest := chosen
		if v.count == 0 {
			rest = slices.Delete(slices.Clone(chosen), i, i+1)
		}
		if p.fits() && p.allEligible(rest) {
			return rest, true
		}
		v.takeOne(p.preemption.hierarchy.forest)
	}
	return chosen, false
}

// takeOne takes one unit of a target. The first unit adds the target to the chosen ones.
func (p *targetSearch) takeOne(v *target, chosen []*target) []*target {
	if v.count == 0 {
		v.vector = p.vectorOf(v, chosen)
		chosen = append(chosen, v)
	}
	v.takeOne(p.preemption.hierarchy.forest)
	return chosen
}

// vectorOf returns the need of one unit of a target when the targets in gone are gone.
func (p *targetSearch) vectorOf(v *target, gone []*target) quota.Vector {
	if v.whole {
		return p.preemption.holders.vectorWithout(v.app, gone)
	}
	return v.vector
}

// candidates returns everything that the ask may have to preempt.
func (p *targetSearch) candidates() *candidates { return &candidates{search: p} }

// mayReclaim reports, looking only at the queue of the ask and those above it, whether anything in other queues may be
// eligible now, apart from rules about shares.
func (p *targetSearch) mayReclaim() bool {
	policy := p.class.queue.config.Preemption
	return policy.Borrow == config.PreemptLowerPriority || policy.Reclaim.IsSet() && slices.ContainsFunc(p.path[:len(p.path)-1], func(side *queue) bool {
		return !p.preemption.hierarchy.forest.Over(side.node, p.short)
	})
}

// mayHoldTargets reports whether anything in a queue can become eligible during the search. Nothing is charged to other
// queues meanwhile, so a queue that has not borrowed what is short, on every level, will not have later either.
func (p *targetSearch) mayHoldTargets(q *queue) bool {
	policy := p.class.queue.config.Preemption
	if q == p.class.queue {
		return policy.Within.IsSet()
	}
	return policy.Reclaim.IsSet() && p.hasBorrowedShort(q)
}

// hasBorrowedShort reports whether a queue, and all those above it below the common ancestor with the ask's queue, use
// more than their quota of what is short. It is false for the ask's own queue and those below it, from which nothing
// can be borrowed this way.
func (p *targetSearch) hasBorrowedShort(q *queue) bool {
	for ; q != nil && !slices.Contains(p.path, q); q = q.parent {
		if !p.preemption.hierarchy.forest.Over(q.node, p.short) {
			return false
		}
	}
	return q != nil && q != p.class.queue
}

// sideBeside returns the index on the path of the highest queue that is not above the other queue; 0 for the ask's own.
func (p *targetSearch) sideBeside(q *queue) int {
	return max(0, slices.IndexFunc(p.path, func(above *queue) bool { return above.contains(q) })-1)
}

// compareBools orders false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// wholeTargets returns an asker as a target if it may be preempted as a whole.
func (p *targetSearch) wholeTargets(a *app) []*target {
	if !p.policyAllows(a) || !a.held.vector.Overlaps(p.short) || p.past[a.key] {
		return nil
	}
	return []*target{{app: a, whole: true, max: 1}}
}

// podTargets returns the pods above the base gang of an asker that may be preempted, by flavor, starting with the
// flavor that was added last.
func (p *targetSearch) podTargets(a *app) []*target {
	if !p.policyAllows(a) && !p.policyAllowsPods(a) {
		return nil
	}
	var out []*target
	for i := range slices.Backward(a.held.grant.PodSets) {
		set := &a.held.grant.PodSets[i]
		if !set.Elastic || set.Count <= a.held.reclaimPending(set.Flavor) {
			continue
		}
		v := &target{app: a, flavor: set.Flavor, max: set.Count - a.held.reclaimPending(set.Flavor)}
		v.vector = p.preemption.hierarchy.forest.Prepare(a.held.queue.node, appendAmounts(nil, set.Flavor, 1, set.Requests))
		if v.vector.Overlaps(p.short) {
			out = append(out, v)
		}
	}
	return out
}

// policyAllowsPods reports whether the policy within the queue allows the ask to preempt pods above a base gang. These
// pods have no place in the queue, so for equal priorities age does not count.
func (p *targetSearch) policyAllowsPods(v *app) bool {
	return v.held.queue == p.class.queue && p.class.queue.config.Preemption.Within == config.PreemptLowerOrNewerEqualPriority &&
		v.held.standing.Priority <= p.app.ask.priority
}

// policyAllows reports whether a policy allows the ask to preempt an asker, looking only at priority and age.
func (p *targetSearch) policyAllows(v *app) bool {
	policy := p.class.queue.config.Preemption
	lower := v.held.standing.Priority < p.app.ask.priority
	if v.held.queue == p.class.queue {
		newer := v.held.standing.Priority == p.app.ask.priority && v.held.standing.QueuedAt.After(p.app.ask.queuedAt)
		return policy.Within == config.PreemptLowerPriority && lower || policy.Within == config.PreemptLowerOrNewerEqualPriority && (lower || newer)
	}
	return policy.Reclaim == config.PreemptAny || policy.Reclaim == config.PreemptLowerPriority && lower
}

// isEligible reports whether an asker may be preempted now. Of the rules about shares it applies those up to by.
func (p *targetSearch) isEligible(v *target, by shareRule) bool {
	a := v.app
	v.byBorrower, v.byShare = false, false
	if a.held.queue == p.class.queue {
		return true
	}
	if !p.hasBorrowedShort(a.held.queue) {
		return false
	}
	if !p.borrowsBeside(a) {
		return true
	}
	v.byBorrower = p.mayBorrow(a)
	v.byShare = !v.byBorrower && by != noShareRule && p.isAboveShare(v, by)
	return v.byBorrower || v.byShare
}

// borrowsBeside reports whether the ask's own side borrows: the subtree with the ask's queue directly below the common
// ancestor with the asker's queue.
func (p *targetSearch) borrowsBeside(v *app) bool {
	return p.preemption.hierarchy.forest.Over(p.class.queue.subtreeBeside(v.held.queue).node, p.short)
}

// mayBorrow reports whether an ask that borrows may preempt an asker by the policy Borrow.
func (p *targetSearch) mayBorrow(v *app) bool {
	policy := p.class.queue.config.Preemption
	return policy.Borrow == config.PreemptLowerPriority && v.held.standing.Priority < p.app.ask.priority &&
		(policy.BorrowThreshold == nil || v.held.standing.Priority <= *policy.BorrowThreshold)
}

// allEligible reports whether every chosen target would be eligible if it were taken last, and records by which rule.
func (p *targetSearch) allEligible(chosen []*target) bool {
	for _, v := range chosen {
		v.returnOne(p.preemption.hierarchy.forest)
		legal := p.isEligible(v, initialShare)
		v.takeOne(p.preemption.hierarchy.forest)
		if !legal {
			return false
		}
	}
	return true
}

// fits reports whether the ask fits in the current state of the forest.
func (p *targetSearch) fits() bool {
	p.preemption.hierarchy.forest.Remove(p.class.queue.node, p.need)
	defer p.preemption.hierarchy.forest.Add(p.class.queue.node, p.need)
	return p.preemption.reservations.fitsLater(p.class, p.need)
}
