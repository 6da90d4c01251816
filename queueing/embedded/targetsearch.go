// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// targetSearch looks for a set of applications whose room lets one ask in.
//
// While it looks, the forest is as it will be: what goes anyway is gone, and the ask is charged. Who may be displaced for it:
//   - in the same queue, as Preemption.Within says;
//   - in another queue, as Preemption.Reclaim says, if what is in short supply was borrowed there, on every level up to the node that
//     both are below, and the ask stays within the quota of its own side below that node; asks that do not, as Preemption.Borrow says.
//
// Only applications count that use what is in short supply.
type targetSearch struct {
	engine *Engine
	class  *equivalenceClass
	app    *app
	need   quota.Vector
	// short is the part of the need for which there is no room.
	short quota.Vector
	// path is the queue of the ask and all above it, the queue first.
	path []*queue
}

// findTargets returns whom to displace, so that an ask of the line fits in some option, and that option; nobody if there is no way.
func (e *Engine) findTargets(class *equivalenceClass) (*option, []*target) {
	for i := range class.options {
		o := &class.options[i]
		p := &targetSearch{engine: e, class: class, app: class.first(), need: o.minNeed, short: e.forest.ShortPart(class.queue.node, o.minNeed)}
		for q := class.queue; q != nil; q = q.parent {
			p.path = append(p.path, q)
		}
		if found := p.run(); len(found) > 0 {
			return o, found
		}
	}
	return nil, nil
}

// run finds a set none of which could be spared. The forest is left as it was.
func (p *targetSearch) run() []*target {
	if p.short.Empty() {
		return nil // there will be room when those have gone who go anyway
	}
	p.engine.forest.Add(p.class.queue.node, p.need)
	defer p.engine.forest.Remove(p.class.queue.node, p.need)
	if !p.mayFindTargets() {
		return nil
	}
	chosen := p.collectTargets()
	for spared := true; spared; { // who may be spared depends on who else is
		chosen, spared = p.minimizeTargets(chosen)
	}
	legal := p.fits() && p.allEligible(chosen)
	for _, v := range chosen {
		v.undoRelease(p.engine)
	}
	if !legal {
		return nil
	}
	return p.engine.mergeWholeTargets(chosen)
}

// mayFindTargets says, from the queue of the ask and those above it alone, that somebody might be displaced: in the queue itself, or elsewhere
// because the ask stays within the quota of its side on some level or may borrow.
func (p *targetSearch) mayFindTargets() bool {
	policy := p.class.queue.config.Preemption
	if policy.Within != PreemptNever && policy.Within != "" || policy.Borrow == PreemptLowerPriority {
		return true
	}
	return slices.ContainsFunc(p.path[:len(p.path)-1], func(side *queue) bool { return !p.engine.forest.Over(side.node, p.short) })
}

// minimizeTargets puts one of the chosen back who is not needed, or one pod: the last to be displaced, first. It returns the others and whether there
// was one.
func (p *targetSearch) minimizeTargets(chosen []*target) (rest []*target, spared bool) {
	for i := len(chosen) - 1; i >= 0; i-- {
		v := chosen[i]
		if len(chosen) == 1 && v.count == 1 {
			break
		}
		v.returnOne(p.engine)
		rest := chosen
		if v.count == 0 {
			rest = slices.Delete(slices.Clone(chosen), i, i+1)
		}
		if p.fits() && p.allEligible(rest) {
			return rest, true
		}
		v.takeOne(p.engine)
	}
	return chosen, false
}

// collectTargets takes candidates out, in order, until the ask fits: of pods above a base gang as many as are needed. With all of them and still no
// room it puts them back. Whom an ask of its own queue lets go may bring the ask within its quota, so that candidates become legal that
// were not: they are looked at again.
func (p *targetSearch) collectTargets() []*target {
	candidates := p.candidates()
	var chosen []*target
	for progress := true; progress; {
		progress = false
		for _, v := range candidates {
			for !v.exhausted() && !includesWhole(v.app, chosen) && p.isEligible(v.app) {
				if v.count == 0 {
					v.vector = p.vectorOf(v, chosen)
					chosen = append(chosen, v)
				}
				v.takeOne(p.engine)
				if progress = true; p.fits() {
					return chosen
				}
			}
		}
	}
	for _, v := range chosen {
		v.undoRelease(p.engine)
	}
	return nil
}

// vectorOf is what one of a victim needs, when some others are gone.
func (p *targetSearch) vectorOf(v *target, gone []*target) quota.Vector {
	if v.whole {
		return p.engine.wholeTarget(v.app, gone).vector
	}
	return v.vector
}

// candidates are all in the tree that might be displaced, in the order in which they are: pods above base gangs before whole applications;
// those of other queues first, then lower priority, then the newest grant.
func (p *targetSearch) candidates() []*target {
	var out []*target
	top := p.path[len(p.path)-1]
	for _, q := range top.tree.queuesWithHolders() {
		for _, a := range q.holders {
			if a.held.isTerminating() {
				continue
			}
			out = append(out, p.podTargets(a)...)
			if !p.engine.pastPreemptions[p.pastPreemption(a)] && a.held.vector.Overlaps(p.short) && p.policyAllows(a) {
				out = append(out, &target{app: a, whole: true, max: 1})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *target) int {
		own := func(v *target) bool { return v.app.held.queue == p.class.queue }
		return cmp.Or(compareBools(a.whole, b.whole), compareBools(own(a), own(b)),
			cmp.Compare(a.app.held.standing.Priority, b.app.held.standing.Priority),
			cmp.Compare(b.app.held.serial, a.app.held.serial), strings.Compare(a.app.key.UID, b.app.key.UID), compareKeys(a.app.key, b.app.key))
	})
	return out
}

// compareBools puts false before true.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// podTargets are the pods above the base gang of an application that might be displaced, by flavor: the flavor that it took last, first.
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
		v.vector = p.engine.forest.Prepare(a.held.queue.node, appendAmounts(nil, set.Flavor, 1, set.Requests))
		if v.vector.Overlaps(p.short) {
			out = append(out, v)
		}
	}
	return out
}

// policyAllowsPods says whether the policy within the queue lets the ask displace pods above a base gang: they have no place in line, so
// that among equals of priority age does not count.
func (p *targetSearch) policyAllowsPods(v *app) bool {
	return v.held.queue == p.class.queue && p.class.queue.config.Preemption.Within == PreemptLowerOrNewerEqualPriority &&
		v.held.standing.Priority <= p.app.ask.priority
}

func (p *targetSearch) pastPreemption(v *app) pastPreemption {
	return pastPreemption{by: p.app.key, run: p.app.ask.run, target: v.key}
}

// policyAllows says whether a policy lets the ask displace an application, as far as priority and age go.
func (p *targetSearch) policyAllows(v *app) bool {
	policy := p.class.queue.config.Preemption
	lower := v.held.standing.Priority < p.app.ask.priority
	if v.held.queue == p.class.queue {
		newer := v.held.standing.Priority == p.app.ask.priority && v.held.standing.QueuedAt.After(p.app.ask.queuedAt)
		return policy.Within == PreemptLowerPriority && lower || policy.Within == PreemptLowerOrNewerEqualPriority && (lower || newer)
	}
	return policy.Reclaim == PreemptAny || policy.Reclaim == PreemptLowerPriority && lower
}

// isEligible says whether an application may be displaced now.
func (p *targetSearch) isEligible(v *app) bool {
	if v.held.queue == p.class.queue {
		return true
	}
	common := v.held.queue
	for common != nil && !slices.Contains(p.path, common) {
		if !p.engine.forest.Over(common.node, p.short) {
			return false
		}
		common = common.parent
	}
	if common == nil || common == p.class.queue {
		return false
	}
	side := p.path[slices.Index(p.path, common)-1] // of the ask, directly below the node that both are below
	return !p.engine.forest.Over(side.node, p.short) || p.mayBorrow(v)
}

// mayBorrow says whether an ask that borrows may displace an application all the same.
func (p *targetSearch) mayBorrow(v *app) bool {
	policy := p.class.queue.config.Preemption
	return policy.Borrow == PreemptLowerPriority && v.held.standing.Priority < p.app.ask.priority &&
		(policy.BorrowThreshold == nil || v.held.standing.Priority <= *policy.BorrowThreshold)
}

// allEligible says that each of some that were taken out might be displaced if it were the last of them.
func (p *targetSearch) allEligible(chosen []*target) bool {
	for _, v := range chosen {
		v.returnOne(p.engine)
		legal := p.isEligible(v.app)
		v.takeOne(p.engine)
		if !legal {
			return false
		}
	}
	return true
}

// fits says that there is room for the ask.
func (p *targetSearch) fits() bool {
	p.engine.forest.Remove(p.class.queue.node, p.need)
	defer p.engine.forest.Add(p.class.queue.node, p.need)
	return p.engine.fitsNow(p.class, p.need)
}

// queuesWithHolders lists the queues of a tree in which something is held, in the order of their names.
func (t *tree) queuesWithHolders() []*queue {
	var out []*queue
	for _, q := range t.queues {
		if len(q.holders) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// isTerminating says that the room will be free before long.
func (h *heldGrant) isTerminating() bool { return h.standing.Leaving || h.eviction() != nil }

// eviction is why the room is asked back; nil while it may be kept.
func (h *heldGrant) eviction() *queueing.Eviction {
	if h.evicted != nil {
		return h.evicted
	}
	if d := h.queue.drainedBy; d != nil {
		return &queueing.Eviction{Reason: queueing.ReasonQueueHeld, Message: named(d, h.queue) + " is drained (stopPolicy HoldAndDrain)"}
	}
	return nil
}
