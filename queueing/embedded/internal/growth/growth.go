// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package growth grows grants beyond their base gangs, pod by pod, with the quota that pending asks leave.
package growth

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/phrases"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/reservations"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/waiting"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Grower grows the grants of holders that want pods above their base gangs.
type Grower struct {
	rules        *waiting.Rules
	hierarchy    *state.Hierarchy
	registry     *state.Registry
	holders      *state.Holders
	reservations *reservations.Book
}

// New returns the grower of an engine.
func New(hr *state.Hierarchy, rg *state.Registry, hs *state.Holders, r *waiting.Rules, rs *reservations.Book) *Grower {
	return &Grower{hierarchy: hr, registry: rg, holders: hs, rules: r, reservations: rs}
}

// growthRequest is a holder that wants more pods than it has.
type growthRequest struct {
	asker *state.Asker
	// podSet is the pod set that grows, flavors are where more of its pods may be placed, and perPod is what one more
	// pod needs in each.
	podSet  *queueing.PodSetGrant
	flavors []*config.Flavor
	perPod  []quota.Vector
	// count counts the pods above the base gang, including new ones; added counts the new ones by flavor.
	count int32
	added []int32
	// next is the index of the flavor for the next pod.
	next int
}

// Grow grants free quota to holders that want more than their base gangs, and appends a decision for each holder that
// grows. A holder does not grow while an ask of the same or a higher priority is pending in its queue, nor into quota
// that is reserved or reclaimed for others.
//
// Pods are added one by one, so that holders grow evenly. The next pod goes to the holder
//   - whose queue borrows over the shortest distance with the pod (if the parent of two queues uses fair sharing, the
//     lower share counts before that);
//   - then with the higher priority;
//   - then with the fewest pods above its base gang, then by age and UID.
//
// Each holder that does not get everything it wants gets a message that says why.
func (eg *Grower) Grow(t *state.Tree, out []state.Decision, max int) []state.Decision {
	growers := eg.growthRequests(t)
	unsatisfied := slices.Clone(growers)
	for len(unsatisfied) > 0 {
		unsatisfied = slices.DeleteFunc(unsatisfied, func(g *growthRequest) bool { return !eg.canGrow(g) })
		if len(unsatisfied) == 0 {
			break
		}
		best := unsatisfied[0]
		for _, g := range unsatisfied[1:] {
			if eg.growthBefore(g, best) {
				best = g
			}
		}
		eg.hierarchy.Forest.Add(best.asker.Held.Queue.Node, best.perPod[best.next])
		best.added[best.next]++
		best.count++
	}
	for _, g := range growers {
		for i, n := range g.added {
			for range n {
				eg.hierarchy.Forest.Remove(g.asker.Held.Queue.Node, g.perPod[i])
			}
		}
	}
	for _, g := range growers {
		grown := g.count - state.ElasticPods(g.asker.Held.Grant)
		if grown == 0 {
			continue
		}
		if max > 0 && len(out) >= max {
			t.Dirty = true
			break
		}
		eg.applyGrowth(g)
		out = append(out, state.Decision{Key: g.asker.Key, Root: t.Root, Grant: g.asker.Held.Grant, Grown: grown, Before: g.asker.Held.Growth.Before})
	}
	return out
}

// applyGrowth charges the pods that a request was granted.
func (eg *Grower) applyGrowth(g *growthRequest) {
	h := g.asker.Held
	before := h.Grant
	eg.holders.Recharge(g.asker, state.WithGrowth(before, g.podSet, g.flavors, g.added))
	h.Growth.Before = &before
	h.Queue.Tree.Dirty = false // growth frees no quota, so no further cycle is needed
	eg.registry.Changed[g.asker.Key] = true
}

// growthRequests returns the holders of a tree that want more and may grow, in the order of their keys. It sets the
// message of those that may not grow.
func (eg *Grower) growthRequests(t *state.Tree) []*growthRequest {
	var out []*growthRequest
	for key := range eg.holders.Elastic {
		a := eg.registry.Askers[key]
		h := a.Held
		if h.Queue.Tree != t || h.Growth.Want.Count <= state.ElasticPods(h.Grant) || h.MustEnd() || !h.StateKnown || h.Growth.Before != nil {
			continue
		}
		g, why := eg.newGrowthRequest(a)
		if g == nil {
			eg.holders.SetGrowthMessage(a, why)
			continue
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *growthRequest) int { return state.CompareKeys(a.asker.Key, b.asker.Key) })
	return out
}

// newGrowthRequest returns the growth request of a holder, or the reason why the holder may not grow.
func (eg *Grower) newGrowthRequest(a *state.Asker) (*growthRequest, string) {
	h := a.Held
	q, base := h.Queue, h.GrowingPodSet()
	defect := eg.rules.Defect(q) // a queue whose root is gone has no ledger to record growth
	switch {
	case defect != "":
		return nil, defect
	case base == nil:
		return nil, fmt.Sprintf("the grant has no pod set %s that could grow", h.Growth.Want.PodSet)
	case q.StoppedBy != nil:
		return nil, state.StopText(q.StoppedBy, q)
	case len(h.Growth.Reclaims) > 0:
		return nil, "cannot grow while pods of this grant are being reclaimed"
	case HasPending(q, h.Standing.Priority):
		return nil, fmt.Sprintf("pending asks of queue %s come first", q.Name)
	}
	flavors := base.Flavors
	if !h.Grant.SchedulingGated {
		flavors = []string{base.Flavor} // its pods are on nodes of this flavor already
	}
	usable, why := eg.hierarchy.Flavors.Usable(q.Name, q.Flavors, queueing.PodSet{
		Name: base.Name, Flavors: flavors, Tolerations: h.Growth.Want.Tolerations, NodeSelector: h.Growth.Want.NodeSelector,
	})
	if len(usable) == 0 {
		return nil, why
	}
	g := &growthRequest{asker: a, podSet: base, flavors: usable, count: state.ElasticPods(h.Grant), added: make([]int32, len(usable))}
	for _, f := range usable {
		g.perPod = append(g.perPod, eg.hierarchy.Forest.Prepare(q.Node, placement.AppendAmounts(nil, f.Name, 1, base.Requests)))
	}
	return g, ""
}

// HasPending reports whether an ask without a claim and of at least this priority is pending in the queue.
func HasPending(q *state.Queue, priority int32) bool {
	full := q.AtMaxRunning() != nil
	for _, class := range q.Asks.Admissible.Items {
		if full && !class.Part {
			continue
		}
		if next := class.Next(); next != nil && next.Ask.Priority >= priority {
			return true
		}
	}
	return false
}

// canGrow selects the flavor of the next pod. If the holder wants no more pods or no quota is free for one, it sets the
// holder's message and returns false.
func (eg *Grower) canGrow(g *growthRequest) bool {
	h := g.asker.Held
	if g.count >= h.Growth.Want.Count {
		eg.holders.SetGrowthMessage(g.asker, "")
		return false
	}
	n := h.Queue.Node
	var first quota.Block
	still, kept := false, false
	for i, need := range g.perPod {
		b, blocked := eg.hierarchy.Forest.Blocked(n, need)
		if !blocked && !eg.reservations.DelayedByGrowth(h.Queue, need) {
			g.next = i
			return true
		}
		kept = kept || !blocked
		if blocked && first.Need == 0 {
			first = b
		}
		still = still || eg.hierarchy.Forest.StillBlocked(n, need, h.Growth.Blocked)
	}
	switch {
	case kept:
		eg.holders.SetGrowthMessage(g.asker, "free quota is reserved for asks that have headed their queue for longer than its headTimeout")
		return false
	case !still:
		h.Growth.Blocked = first
	}
	b := h.Growth.Blocked
	eg.holders.SetGrowthMessage(g.asker, fmt.Sprintf("each needs %s %s of flavor %s; %s", b.Cell.Resource, phrases.Amount(b.Cell.Resource, b.Need), b.Cell.Flavor,
		eg.hierarchy.HoldersText(h.Queue, b)))
	return false
}

// growthBefore reports whether the next pod goes to a rather than to b.
func (eg *Grower) growthBefore(a, b *growthRequest) bool {
	p, q := a.asker.Held, b.asker.Held
	if order := eg.compareSubtrees(a, b); order != 0 {
		return order < 0
	}
	return cmp.Or(cmp.Compare(q.Standing.Priority, p.Standing.Priority), cmp.Compare(a.count, b.count),
		p.Standing.QueuedAt.Compare(q.Standing.QueuedAt), state.CompareKeys(a.asker.Key, b.asker.Key)) < 0
}

// compareSubtrees orders two growth requests by their queues. If their common ancestor uses fair sharing, the subtrees
// below it are ordered by their ranks; else, or if these are equal, the shorter borrowing distance comes first.
func (eg *Grower) compareSubtrees(a, b *growthRequest) int {
	p, q := a.asker.Held.Queue, b.asker.Held.Queue
	rank := func(q *state.Queue, g *growthRequest) state.FairRank {
		return eg.hierarchy.FairRankWith(q, g.asker.Held.Queue, g.perPod[g.next])
	}
	if p != q {
		left, right := p.SubtreeBeside(q), q.SubtreeBeside(p)
		if left.Parent != nil && left.Parent == right.Parent && left.Parent.FairSharing() {
			if order := rank(left, a).Compare(rank(right, b)); order != 0 {
				return order
			}
		}
	}
	distance := func(g *growthRequest) int {
		return eg.hierarchy.Forest.BorrowingDistance(g.asker.Held.Queue.Node, g.perPod[g.next])
	}
	return cmp.Compare(distance(a), distance(b))
}
