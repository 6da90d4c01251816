// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// elasticGrowth grows the grants of holders that want pods above their base gangs.
type elasticGrowth struct {
	hierarchy    *hierarchy
	registry     *registry
	holders      *holders
	reservations *reservations
}

// growthRequest is a holder that wants more pods than it has.
type growthRequest struct {
	app *app
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

// grow grants free quota to holders that want more than their base gangs, and appends a decision for each holder that
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
func (eg *elasticGrowth) grow(t *tree, out []Decision, max int) []Decision {
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
		eg.hierarchy.forest.Add(best.app.held.queue.node, best.perPod[best.next])
		best.added[best.next]++
		best.count++
	}
	for _, g := range growers {
		for i, n := range g.added {
			for range n {
				eg.hierarchy.forest.Remove(g.app.held.queue.node, g.perPod[i])
			}
		}
	}
	for _, g := range growers {
		grown := g.count - elasticPods(g.app.held.grant)
		if grown == 0 {
			continue
		}
		if max > 0 && len(out) >= max {
			t.dirty = true
			break
		}
		eg.applyGrowth(g)
		out = append(out, Decision{Key: g.app.key, Root: t.root, Grant: g.app.held.grant, Grown: grown, Before: g.app.held.growth.before})
	}
	return out
}

// applyGrowth charges the pods that a request was granted.
func (eg *elasticGrowth) applyGrowth(g *growthRequest) {
	h := g.app.held
	before := h.grant
	eg.holders.recharge(g.app, withGrowth(before, g.podSet, g.flavors, g.added))
	h.growth.before = &before
	h.queue.tree.dirty = false // growth frees no quota, so no further cycle is needed
	eg.registry.changed[g.app.key] = true
}

// growthRequests returns the holders of a tree that want more and may grow, in the order of their keys. It sets the
// message of those that may not grow.
func (eg *elasticGrowth) growthRequests(t *tree) []*growthRequest {
	var out []*growthRequest
	for key := range eg.holders.elastic {
		a := eg.registry.apps[key]
		h := a.held
		if h.queue.tree != t || h.growth.want.Count <= elasticPods(h.grant) || h.mustEnd() || !h.stateKnown || h.growth.before != nil {
			continue
		}
		g, why := eg.newGrowthRequest(a)
		if g == nil {
			eg.holders.setGrowthMessage(a, why)
			continue
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *growthRequest) int { return compareKeys(a.app.key, b.app.key) })
	return out
}

// newGrowthRequest returns the growth request of a holder, or the reason why the holder may not grow.
func (eg *elasticGrowth) newGrowthRequest(a *app) (*growthRequest, string) {
	h := a.held
	q, base := h.queue, h.growingPodSet()
	defect := eg.hierarchy.defect(q) // a queue whose root is gone has no ledger to record growth
	switch {
	case defect != "":
		return nil, defect
	case base == nil:
		return nil, fmt.Sprintf("the grant has no pod set %s that could grow", h.growth.want.PodSet)
	case q.stoppedBy != nil:
		return nil, stopText(q.stoppedBy, q)
	case len(h.growth.reclaims) > 0:
		return nil, "cannot grow while pods of this grant are being reclaimed"
	case q.hasPending(h.standing.Priority):
		return nil, fmt.Sprintf("pending asks of queue %s come first", q.name)
	}
	flavors := base.Flavors
	if !h.grant.SchedulingGated {
		flavors = []string{base.Flavor} // its pods are on nodes of this flavor already
	}
	usable, why := eg.hierarchy.usableFlavors(q, queueing.PodSet{
		Name: base.Name, Flavors: flavors, Tolerations: h.growth.want.Tolerations, NodeSelector: h.growth.want.NodeSelector,
	})
	if len(usable) == 0 {
		return nil, why
	}
	g := &growthRequest{app: a, podSet: base, flavors: usable, count: elasticPods(h.grant), added: make([]int32, len(usable))}
	for _, f := range usable {
		g.perPod = append(g.perPod, eg.hierarchy.forest.Prepare(q.node, appendAmounts(nil, f.Name, 1, base.Requests)))
	}
	return g, ""
}

// hasPending reports whether an ask without a claim and of at least this priority is pending in the queue.
func (q *queue) hasPending(priority int32) bool {
	full := q.atMaxRunning() != nil
	for _, class := range q.admissible.items {
		if full && !class.part {
			continue
		}
		if next := class.next(); next != nil && next.ask.priority >= priority {
			return true
		}
	}
	return false
}

// canGrow selects the flavor of the next pod. If the holder wants no more pods or no quota is free for one, it sets the
// holder's message and returns false.
func (eg *elasticGrowth) canGrow(g *growthRequest) bool {
	h := g.app.held
	if g.count >= h.growth.want.Count {
		eg.holders.setGrowthMessage(g.app, "")
		return false
	}
	n := h.queue.node
	var first quota.Block
	still, kept := false, false
	for i, need := range g.perPod {
		b, blocked := eg.hierarchy.forest.Blocked(n, need)
		if !blocked && !eg.reservations.isReservedFromGrowth(h.queue, need) {
			g.next = i
			return true
		}
		kept = kept || !blocked
		if blocked && first.Need == 0 {
			first = b
		}
		still = still || eg.hierarchy.forest.StillBlocked(n, need, h.growth.blocked)
	}
	switch {
	case kept:
		eg.holders.setGrowthMessage(g.app, "free quota is reserved for asks that have headed their queue for longer than its headTimeout")
		return false
	case !still:
		h.growth.blocked = first
	}
	eg.holders.setGrowthMessage(g.app, eg.growthMessage(h.queue, h.growth.blocked))
	return false
}

// growthBefore reports whether the next pod goes to a rather than to b.
func (eg *elasticGrowth) growthBefore(a, b *growthRequest) bool {
	p, q := a.app.held, b.app.held
	if order := eg.compareSubtrees(a, b); order != 0 {
		return order < 0
	}
	return cmp.Or(cmp.Compare(q.standing.Priority, p.standing.Priority), cmp.Compare(a.count, b.count),
		p.standing.QueuedAt.Compare(q.standing.QueuedAt), compareKeys(a.app.key, b.app.key)) < 0
}

// compareSubtrees orders two growth requests by their queues. If their common ancestor uses fair sharing, the subtree
// below it that would have the lower share comes first; else, or if they are equal, the shorter borrowing distance.
func (eg *elasticGrowth) compareSubtrees(a, b *growthRequest) int {
	p, q := a.app.held.queue, b.app.held.queue
	if p != q {
		left, right := p.subtreeBeside(q), q.subtreeBeside(p)
		if left.parent != nil && left.parent == right.parent && left.parent.fairSharing() {
			if order := quota.CompareShares(eg.shareWithGrowth(left, a), left.weight(), eg.shareWithGrowth(right, b), right.weight()); order != 0 {
				return order
			}
		}
	}
	distance := func(g *growthRequest) int {
		return eg.hierarchy.forest.BorrowingDistance(g.app.held.queue.node, g.perPod[g.next])
	}
	return cmp.Compare(distance(a), distance(b))
}

// shareWithGrowth returns the share that a queue would have with the next pod of a growth request.
func (eg *elasticGrowth) shareWithGrowth(q *queue, g *growthRequest) quota.Share {
	n := g.app.held.queue.node
	eg.hierarchy.forest.Add(n, g.perPod[g.next])
	defer eg.hierarchy.forest.Remove(n, g.perPod[g.next])
	return eg.hierarchy.forest.Share(q.node)
}

// growthMessage returns the message that a limit keeps the holder of a grant from getting everything it wants.
func (eg *elasticGrowth) growthMessage(q *queue, b quota.Block) string {
	limit := eg.hierarchy.forest.Account(b.Node, b.Cell).Limit()
	by := eg.hierarchy.queues[eg.hierarchy.forest.At(b.Node).Name]
	return fmt.Sprintf("each needs %s %s of flavor %s; %s may use at most %s and others hold the rest", b.Cell.Resource,
		amountText(b.Cell.Resource, b.Need), b.Cell.Flavor, named(by, q),
		limitText(b.Cell.Resource, limit.Max(), limit, len(eg.hierarchy.forest.At(b.Node).Children) > 0))
}
