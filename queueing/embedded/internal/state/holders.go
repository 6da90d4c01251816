// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Holders owns the grants that are charged.
type Holders struct {
	hierarchy *Hierarchy
	registry  *Registry
	// Epochs holds the epochs by root.
	Epochs map[string]int64
	// Grants counts all grants ever made or restored.
	Grants uint64
	// Elastic holds the keys of holders that want pods above their base gangs, or still have some.
	Elastic map[queueing.Key]bool
}

// NewHolders returns holders of nothing.
func NewHolders(hr *Hierarchy, rg *Registry) *Holders {
	return &Holders{hierarchy: hr, registry: rg, Epochs: map[string]int64{}, Elastic: map[queueing.Key]bool{}}
}

// TerminatingTargets returns what the terminating holders of a tree will release.
func (hs *Holders) TerminatingTargets(t *Tree) []*Target {
	var out []*Target
	for _, q := range t.Queues {
		if q.Held.leaving == 0 {
			continue
		}
		for _, a := range q.Held.Holders {
			switch {
			case a.Held.IsTerminating():
				out = append(out, &Target{Asker: a, Whole: true, Count: 1, Vector: a.Held.Vector})
			case a.Held.IsReclaiming():
				out = append(out, &Target{Asker: a, Whole: true, Count: 1, Vector: hs.reclaimVector(a.Held)})
			}
		}
	}
	return out
}

// Awaited returns the terminating holders whose release lets a need fit, or nil if it does not fit even when all of
// them are gone.
func (hs *Holders) Awaited(terminating []*Target, q *Queue, need quota.Vector) []queueing.Key {
	forest := hs.hierarchy.Forest
	short := forest.ShortPart(q.Node, need)
	var out []queueing.Key
	released := 0
	_, blocked := forest.Blocked(q.Node, need)
	for ; blocked && released < len(terminating); released++ {
		v := terminating[released]
		if v.SimulateRelease(forest); v.Vector.Overlaps(short) && !slices.Contains(out, v.Asker.Key) {
			out = append(out, v.Asker.Key)
		}
		_, blocked = forest.Blocked(q.Node, need)
	}
	for _, v := range terminating[:released] {
		v.UndoRelease(forest)
	}
	if blocked {
		return nil
	}
	return out
}

// DeletedInUse returns nodes for the deleted queues between a grant and its root. The grants of a deleted queue are
// still charged to its parent, and those of a deleted queue's children to their grandparent.
func (hs *Holders) DeletedInUse(c *config.Queues) []quota.Node {
	var out []quota.Node
	seen := map[string]bool{}
	for _, key := range hs.registry.SortedKeys() {
		h := hs.registry.Askers[key].Held
		if h == nil {
			continue
		}
		for name := h.Queue.Name; name != "" && !seen[name]; {
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

// Charge charges a grant to an asker that holds none.
func (hs *Holders) Charge(a *Asker, h *Held) {
	q := hs.hierarchy.Queue(h.Grant.Queue)
	h.Queue, a.Held = q, h
	h.index = len(q.Held.Holders)
	q.Held.Holders = append(q.Held.Holders, a)
	hs.countState(a, 1)
	h.leaving = false
	h.UpdateLeaving()
	h.countGrown(1)
	hs.NoteElastic(a)
	a.countAdmitted(1)
	if q.Node != quota.None {
		h.Vector = hs.hierarchy.Forest.Prepare(q.Node, h.Charged())
		hs.hierarchy.Forest.Add(q.Node, h.Vector)
	}
	q.Tree.Dirty = true
	q.Tree.HolderVersion++
	for _, class := range q.Asks.Classes {
		class.NoTargetsAt = 0 // the new holder may be a target
	}
	if hs.opensTargets(h) {
		q.Tree.TargetVersion++
	}
}

// opensTargets reports whether an ask of another queue that had no targets may have some because of a new holder: this
// holder, if its queue borrows, or others below a queue that borrows now. It is true if there are reservations, because
// these depend on everything that is held.
func (hs *Holders) opensTargets(h *Held) bool {
	if h.leaving || len(h.Queue.Tree.Reservations) > 0 {
		return true
	}
	for q := h.Queue; q != nil; q = q.Parent {
		if q.Node != quota.None && hs.hierarchy.Forest.Borrowing(q.Node) {
			return true
		}
	}
	return false
}

// Uncharge removes the charge of the asker's grant, if it holds one.
func (hs *Holders) Uncharge(a *Asker) {
	h := a.Held
	if h == nil {
		return
	}
	q := h.Queue
	last := q.Held.Holders[len(q.Held.Holders)-1]
	q.Held.Holders[h.index], last.Held.index = last, h.index
	q.Held.Holders = q.Held.Holders[:len(q.Held.Holders)-1]
	a.countAdmitted(-1)
	hs.countState(a, -1)
	if h.leaving {
		q.Held.leaving--
	}
	h.countGrown(-1)
	a.Held = nil
	delete(hs.Elastic, a.Key)
	if q.Node != quota.None {
		hs.hierarchy.Forest.Remove(q.Node, h.Vector)
	}
	q.Tree.MarkDirty(true)
	hs.hierarchy.DropIfUnused(q)
}

// SetGrowthMessage sets the reason why a holder does not have all the pods that it wants.
func (hs *Holders) SetGrowthMessage(a *Asker, why string) {
	if a.Held.Growth.Message != why {
		a.Held.Growth.Message = why
		hs.registry.Changed[a.Key] = true
	}
}

// SetState sets the state of a holder.
func (hs *Holders) SetState(a *Asker, s queueing.HolderState) {
	hs.countState(a, -1)
	a.Held.StateKnown, a.Held.Standing = true, s
	hs.countState(a, 1)
	a.Held.UpdateLeaving()
}

// countState adds a holder to the counters and the ranking that depend on its state, or removes it if n is negative.
func (hs *Holders) countState(a *Asker, n int) {
	h := a.Held
	if !h.StateKnown {
		h.Queue.Tree.UnknownStates += n
	}
	if n > 0 {
		h.Queue.Held.Ranked.insert(a)
	} else {
		h.Queue.Held.Ranked.remove(a)
	}
}

// NoteElastic records whether a holder wants pods above its base gang or has some. Pods that are stopping hold quota
// until they are gone, even if no more are wanted.
func (hs *Holders) NoteElastic(a *Asker) {
	if a.Held.Growth.Want.Count > 0 || ElasticPods(a.Held.Grant) > 0 {
		hs.Elastic[a.Key] = true
	} else {
		delete(hs.Elastic, a.Key)
	}
}

// Recharge replaces the asker's grant by another one of the same attempt.
func (hs *Holders) Recharge(a *Asker, grant queueing.Grant) {
	h := a.Held
	less := ElasticPods(grant) < ElasticPods(h.Grant)
	h.countGrown(-1)
	h.Grant = grant
	h.countGrown(1)
	hs.NoteElastic(a)
	if n := h.Queue.Node; n != quota.None {
		hs.hierarchy.Forest.Remove(n, h.Vector)
		h.Vector = hs.hierarchy.Forest.Prepare(n, h.Charged())
		hs.hierarchy.Forest.Add(n, h.Vector)
	}
	h.Queue.Tree.MarkDirty(less)
}

// RevertGrowth undoes growth that could not be recorded.
func (hs *Holders) RevertGrowth(a *Asker) {
	before := *a.Held.Growth.Before
	a.Held.Growth.Before = nil
	hs.SettleReclaims(a.Held, before)
	hs.Recharge(a, before)
	hs.registry.Changed[a.Key] = true
}

// VectorWithout returns what an asker charges, without the pods in gone and those that must be released anyway.
func (hs *Holders) VectorWithout(a *Asker, gone []*Target) quota.Vector {
	left := a.Held.Grant
	if ElasticPods(left) == 0 {
		return a.Held.Vector
	}
	left.PodSets = slices.Clone(left.PodSets)
	for i := range left.PodSets {
		if p := &left.PodSets[i]; p.Elastic {
			p.Count -= a.Held.ReclaimPending(p.Flavor)
			for _, v := range gone {
				if v.Asker == a && !v.Whole && v.Flavor == p.Flavor {
					p.Count -= v.Count
				}
			}
		}
	}
	return hs.hierarchy.Forest.Prepare(a.Held.Queue.Node, placement.ChargedAmounts(left, a.Held.Queue.Flavors[0]))
}

// MergeWholeTargets drops single pods of askers that are preempted as a whole.
func (hs *Holders) MergeWholeTargets(chosen []*Target) []*Target {
	var out []*Target
	for _, v := range chosen {
		switch {
		case v.Whole:
			all := hs.VectorWithout(v.Asker, nil)
			out = append(out, &Target{Asker: v.Asker, Whole: true, Max: 1, Count: 1, Vector: all, ByBorrower: v.ByBorrower, ByShare: v.ByShare})
		case !IncludesWhole(v.Asker, chosen):
			out = append(out, v)
		}
	}
	return out
}

// IncludesWhole reports whether the chosen targets contain the asker as a whole.
func IncludesWhole(a *Asker, chosen []*Target) bool {
	return slices.ContainsFunc(chosen, func(v *Target) bool { return v.Whole && v.Asker == a })
}

// reclaimVector returns the needs of the pods above the base gang that must be released.
func (hs *Holders) reclaimVector(h *Held) quota.Vector {
	var amounts []quota.Amount
	for i := range h.Grant.PodSets {
		if p := &h.Grant.PodSets[i]; p.Elastic {
			amounts = placement.AppendAmounts(amounts, p.Flavor, h.ReclaimPending(p.Flavor), p.Requests)
		}
	}
	return hs.hierarchy.Forest.Prepare(h.Queue.Node, amounts)
}

// SettleReclaims deducts from the pending reclaims what the next grant releases.
func (hs *Holders) SettleReclaims(h *Held, next queueing.Grant) {
	outstanding := h.Growth.Reclaims[:0:0]
	settled := map[string]int32{}
	for _, d := range h.Growth.Reclaims {
		left := max(0, ElasticPodsIn(h.Grant, d.Flavor)-ElasticPodsIn(next, d.Flavor)) - settled[d.Flavor]
		now := min(d.Count, max(0, left))
		settled[d.Flavor] += now
		if d.Count -= now; d.Count > 0 {
			outstanding = append(outstanding, d)
		}
	}
	h.Growth.Reclaims = outstanding
	h.UpdateLeaving()
}

// CancelReclaims cancels what a holder must release for an ask whose claim was cancelled.
func (hs *Holders) CancelReclaims(key, by queueing.Key) {
	a := hs.registry.Askers[key]
	if a == nil || a.Held == nil {
		return
	}
	before := len(a.Held.Growth.Reclaims)
	a.Held.Growth.Reclaims = slices.DeleteFunc(slices.Clone(a.Held.Growth.Reclaims), func(d Reclaim) bool { return d.By == by })
	a.Held.UpdateLeaving()
	if len(a.Held.Growth.Reclaims) != before {
		hs.registry.Changed[key] = true
		a.Held.Queue.Tree.Dirty = true
	}
}

// ElasticOf counts the pods above base gangs in a queue and below it, and the pods wanted in addition. Holders that
// want no more pods still count until a grant without such pods is settled.
func (hs *Holders) ElasticOf(q *Queue) (has, wanted int32) {
	for key := range hs.Elastic {
		h := hs.registry.Askers[key].Held
		if h.Queue.Tree == q.Tree && q.Contains(h.Queue) {
			has += ElasticPods(h.Grant)
			wanted += max(0, h.Growth.Want.Count-ElasticPods(h.Grant))
		}
	}
	return has, wanted
}
