// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// holders owns the grants that are charged.
type holders struct {
	hierarchy *hierarchy
	registry  *registry
	// epochs holds the epochs by root.
	epochs map[string]int64
	// grants counts all grants ever made or restored.
	grants uint64
	// elastic holds the keys of holders that want pods above their base gangs, or still have some.
	elastic map[queueing.Key]bool
	// boundedHolders counts the grants whose release time is known.
	boundedHolders int
}

// simulateRelease removes the charge of a grant from the forest; undoRelease adds it again.
func (hs *holders) simulateRelease(a *app) {
	hs.hierarchy.forest.Remove(a.held.queue.node, a.held.vector)
}

func (hs *holders) undoRelease(a *app) { hs.hierarchy.forest.Add(a.held.queue.node, a.held.vector) }

// terminatingTargets returns what the terminating holders of a tree will release.
func (hs *holders) terminatingTargets(t *tree) []*target {
	var out []*target
	for _, q := range t.queues {
		if q.leaving == 0 {
			continue
		}
		for _, a := range q.holders {
			switch {
			case a.held.isTerminating():
				out = append(out, &target{app: a, whole: true, count: 1, vector: a.held.vector})
			case a.held.isReclaiming():
				out = append(out, &target{app: a, whole: true, count: 1, vector: hs.reclaimVector(a.held)})
			}
		}
	}
	return out
}

// awaited returns the terminating holders whose release lets a need fit, or nil if it does not fit even when all of
// them are gone.
func (hs *holders) awaited(terminating []*target, q *queue, need quota.Vector) []queueing.Key {
	forest := hs.hierarchy.forest
	short := forest.ShortPart(q.node, need)
	var out []queueing.Key
	released := 0
	_, blocked := forest.Blocked(q.node, need)
	for ; blocked && released < len(terminating); released++ {
		v := terminating[released]
		if v.simulateRelease(forest); v.vector.Overlaps(short) && !slices.Contains(out, v.app.key) {
			out = append(out, v.app.key)
		}
		_, blocked = forest.Blocked(q.node, need)
	}
	for _, v := range terminating[:released] {
		v.undoRelease(forest)
	}
	if blocked {
		return nil
	}
	return out
}

// deletedInUse returns nodes for the deleted queues between a grant and its root. The grants of a deleted queue are
// still charged to its parent, and those of a deleted queue's children to their grandparent.
func (hs *holders) deletedInUse(c *config.Queues) []quota.Node {
	var out []quota.Node
	seen := map[string]bool{}
	for _, key := range hs.registry.sortedKeys() {
		h := hs.registry.apps[key].held
		if h == nil {
			continue
		}
		for name := h.queue.name; name != "" && !seen[name]; {
			seen[name] = true
			if q := c.Find(name); q != nil {
				name = q.Parent
				continue
			}
			parent, known := hs.hierarchy.lastParent(name, c)
			if !known {
				break
			}
			out = append(out, quota.Node{Name: name, Parent: parent, DeletedInUse: true})
			name = parent
		}
	}
	return out
}

// charge charges a grant to an asker that holds none.
func (hs *holders) charge(a *app, h *heldGrant) {
	q := hs.hierarchy.queue(h.grant.Queue)
	h.queue, a.held = q, h
	h.index = len(q.holders)
	q.holders = append(q.holders, a)
	hs.countState(a, 1)
	h.leaving = false
	h.updateLeaving()
	h.countGrown(1)
	hs.noteElastic(a)
	a.countAdmitted(1)
	if q.node != quota.None {
		h.vector = hs.hierarchy.forest.Prepare(q.node, h.charged())
		hs.hierarchy.forest.Add(q.node, h.vector)
	}
	q.tree.dirty = true
	q.tree.holderVersion++
	for _, class := range q.classes {
		class.noTargetsAt = 0 // the new holder may be a target
	}
	if hs.opensTargets(h) {
		q.tree.targetVersion++
	}
}

// opensTargets reports whether an ask of another queue that had no targets may have some because of a new holder: this
// holder, if its queue borrows, or others below a queue that borrows now. It is true if there are reservations, because
// these depend on everything that is held.
func (hs *holders) opensTargets(h *heldGrant) bool {
	if h.leaving || len(h.queue.tree.reservations) > 0 {
		return true
	}
	for q := h.queue; q != nil; q = q.parent {
		if q.node != quota.None && hs.hierarchy.forest.Borrowing(q.node) {
			return true
		}
	}
	return false
}

// uncharge removes the charge of the asker's grant, if it holds one.
func (hs *holders) uncharge(a *app) {
	h := a.held
	if h == nil {
		return
	}
	q := h.queue
	last := q.holders[len(q.holders)-1]
	q.holders[h.index], last.held.index = last, h.index
	q.holders = q.holders[:len(q.holders)-1]
	a.countAdmitted(-1)
	hs.countState(a, -1)
	if h.leaving {
		q.leaving--
	}
	h.countGrown(-1)
	a.held = nil
	delete(hs.elastic, a.key)
	if q.node != quota.None {
		hs.hierarchy.forest.Remove(q.node, h.vector)
	}
	q.tree.markDirty(true)
	hs.hierarchy.dropIfUnused(q)
}

// setGrowthMessage sets the reason why a holder does not have all the pods that it wants.
func (hs *holders) setGrowthMessage(a *app, why string) {
	if a.held.growth.message != why {
		a.held.growth.message = why
		hs.registry.changed[a.key] = true
	}
}

// setState sets the state of a holder.
func (hs *holders) setState(a *app, s queueing.HolderState) {
	hs.countState(a, -1)
	a.held.stateKnown, a.held.standing = true, s
	hs.countState(a, 1)
	a.held.updateLeaving()
}

// countState adds a holder to the counters and the ranking that depend on its state, or removes it if n is negative.
func (hs *holders) countState(a *app, n int) {
	h := a.held
	if !h.standing.ReleasedBy.IsZero() {
		hs.boundedHolders += n
	}
	if !h.stateKnown {
		h.queue.tree.unknownStates += n
	}
	if n > 0 {
		h.queue.ranked.insert(a)
	} else {
		h.queue.ranked.remove(a)
	}
}

// updateLeaving updates whether a holder counts as one that must release something.
func (h *heldGrant) updateLeaving() {
	leaving := h.isTerminating() || h.isReclaiming()
	switch {
	case leaving && !h.leaving:
		h.queue.leaving++
	case !leaving && h.leaving:
		h.queue.leaving--
	}
	h.leaving = leaving
}

// countGrown adds n to the number of holders in the queue with pods above their base gangs, if this is one of them.
func (h *heldGrant) countGrown(n int) {
	if elasticPods(h.grant) > 0 {
		h.queue.grown += n
	}
}

// noteElastic records whether a holder wants pods above its base gang or has some. Pods that are stopping hold quota
// until they are gone, even if no more are wanted.
func (hs *holders) noteElastic(a *app) {
	if a.held.growth.want.Count > 0 || elasticPods(a.held.grant) > 0 {
		hs.elastic[a.key] = true
	} else {
		delete(hs.elastic, a.key)
	}
}

// recharge replaces the asker's grant by another one of the same attempt.
func (hs *holders) recharge(a *app, grant queueing.Grant) {
	h := a.held
	less := elasticPods(grant) < elasticPods(h.grant)
	h.countGrown(-1)
	h.grant = grant
	h.countGrown(1)
	hs.noteElastic(a)
	if n := h.queue.node; n != quota.None {
		hs.hierarchy.forest.Remove(n, h.vector)
		h.vector = hs.hierarchy.forest.Prepare(n, h.charged())
		hs.hierarchy.forest.Add(n, h.vector)
	}
	h.queue.tree.markDirty(less)
}

// revertGrowth undoes growth that could not be recorded.
func (hs *holders) revertGrowth(a *app) {
	before := *a.held.growth.before
	a.held.growth.before = nil
	hs.settleReclaims(a.held, before)
	hs.recharge(a, before)
	hs.registry.changed[a.key] = true
}

// queuesWithHolders returns the queues of a tree in which something is held, in the order of their names.
func (t *tree) queuesWithHolders() []*queue {
	var out []*queue
	for _, q := range t.queues {
		if len(q.holders) > 0 {
			out = append(out, q)
		}
	}
	return out
}

// countAdmitted adds n to the admitted counters of the holder's queue and all above it. Grants of a deleted queue count
// for its former ancestors; grants of a deleted queue's children do not.
func (a *app) countAdmitted(n int32) {
	cut := false
	for q := a.held.queue; q != nil && !cut; q = q.parent {
		if !a.held.grant.Part {
			q.admitted += n
		}
		q.kinds.of(a.key.Kind).Admitted += n
		cut = q.config != nil && q.parent != nil && q.parent.config == nil
	}
}

// wholeTarget returns a target for everything an asker has left, without the pods in gone and those that must be
// released anyway.
func (hs *holders) wholeTarget(a *app, gone []*target) *target {
	return &target{app: a, whole: true, max: 1, vector: hs.vectorWithout(a, gone)}
}

// vectorWithout returns what an asker charges, without the pods in gone and those that must be released anyway.
func (hs *holders) vectorWithout(a *app, gone []*target) quota.Vector {
	left := a.held.grant
	if elasticPods(left) == 0 {
		return a.held.vector
	}
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
	return hs.hierarchy.forest.Prepare(a.held.queue.node, chargedAmounts(left, a.held.queue.flavors[0]))
}

// mergeWholeTargets drops single pods of askers that are preempted as a whole.
func (hs *holders) mergeWholeTargets(chosen []*target) []*target {
	var out []*target
	for _, v := range chosen {
		switch {
		case v.whole:
			all := hs.wholeTarget(v.app, nil)
			all.count, all.byBorrower, all.byShare = 1, v.byBorrower, v.byShare
			out = append(out, all)
		case !includesWhole(v.app, chosen):
			out = append(out, v)
		}
	}
	return out
}

// includesWhole reports whether the chosen targets contain the asker as a whole.
func includesWhole(a *app, chosen []*target) bool {
	return slices.ContainsFunc(chosen, func(v *target) bool { return v.whole && v.app == a })
}

// reclaimVector returns the needs of the pods above the base gang that must be released.
func (hs *holders) reclaimVector(h *heldGrant) quota.Vector {
	var amounts []quota.Amount
	for i := range h.grant.PodSets {
		if p := &h.grant.PodSets[i]; p.Elastic {
			amounts = appendAmounts(amounts, p.Flavor, h.reclaimPending(p.Flavor), p.Requests)
		}
	}
	return hs.hierarchy.forest.Prepare(h.queue.node, amounts)
}

// settleReclaims deducts from the pending reclaims what the next grant releases.
func (hs *holders) settleReclaims(h *heldGrant, next queueing.Grant) {
	outstanding := h.growth.reclaims[:0:0]
	settled := map[string]int32{}
	for _, d := range h.growth.reclaims {
		left := max(0, elasticPodsIn(h.grant, d.flavor)-elasticPodsIn(next, d.flavor)) - settled[d.flavor]
		now := min(d.count, max(0, left))
		settled[d.flavor] += now
		if d.count -= now; d.count > 0 {
			outstanding = append(outstanding, d)
		}
	}
	h.growth.reclaims = outstanding
	h.updateLeaving()
}
