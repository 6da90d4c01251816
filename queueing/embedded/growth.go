// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// growthRequest is a holder that wants more than it has.
type growthRequest struct {
	app *app
	// podSet is the pod set that grows, flavors where more of it may be placed, each what one more needs there.
	podSet  *queueing.PodSetGrant
	flavors []*FlavorConfig
	perPod  []quota.Vector
	// count counts the pods above the base gang, more those of them that are new, by flavor.
	count int32
	added []int32
	// next is the flavor of the next pod.
	next int
}

// grow gives what asks have left to holders that want more than their base gangs, and appends a decision for each that gets something.
// Nobody grows while somebody of the same or a higher priority waits for a base gang in the same queue, nor into room that is kept or
// taken back for others.
//
// Pods are given one by one, so that holders grow alike. The next one goes to the holder
//   - whose queue stays within its own quota with it, and where the parent of two queues compares shares, with the lower share before
//     that;
//   - then by priority;
//   - then to the one with the fewest pods above its base gang, then by age and UID.
//
// Each is told why it does not get more.
func (e *Engine) grow(t *tree, out []Decision, max int) []Decision {
	growers := e.growthRequests(t)
	hungry := slices.Clone(growers)
	for len(hungry) > 0 {
		hungry = slices.DeleteFunc(hungry, func(g *growthRequest) bool { return !e.canGrow(g) })
		if len(hungry) == 0 {
			break
		}
		best := hungry[0]
		for _, g := range hungry[1:] {
			if e.growthBefore(g, best) {
				best = g
			}
		}
		e.forest.Add(best.app.held.queue.node, best.perPod[best.next])
		best.added[best.next]++
		best.count++
	}
	for _, g := range growers {
		for i, n := range g.added {
			for range n {
				e.forest.Remove(g.app.held.queue.node, g.perPod[i])
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
		e.applyGrowth(g)
		out = append(out, Decision{Key: g.app.key, Root: t.root, Grant: g.app.held.grant, Grown: grown, Before: g.app.held.growth.before})
	}
	return out
}

// applyGrowth charges what a grower gets.
func (e *Engine) applyGrowth(g *growthRequest) {
	h := g.app.held
	before := h.grant
	e.recharge(g.app, withGrowth(before, g.podSet, g.flavors, g.added))
	h.growth.before = &before
	h.queue.tree.dirty = false // nobody else has more room by that
	e.changed[g.app.key] = true
}

// growthRequests are those in a tree who want more and may have it as things stand, in the order of their keys. The others are told why not.
func (e *Engine) growthRequests(t *tree) []*growthRequest {
	var out []*growthRequest
	for key := range e.wanting {
		a := e.apps[key]
		h := a.held
		if h.queue.tree != t || h.growth.want.Count <= elasticPods(h.grant) || h.isTerminating() || !h.stateKnown || h.growth.before != nil {
			continue
		}
		g, why := e.newGrowthRequest(a)
		if g == nil {
			e.setGrowthMessage(a, why)
			continue
		}
		out = append(out, g)
	}
	slices.SortFunc(out, func(a, b *growthRequest) int { return compareKeys(a.app.key, b.app.key) })
	return out
}

// newGrowthRequest is the holder as one that may grow, or why it may not.
func (e *Engine) newGrowthRequest(a *app) (*growthRequest, string) {
	h := a.held
	q, base := h.queue, h.growingPodSet()
	switch {
	case base == nil || q.config == nil || q.node == quota.None:
		return nil, fmt.Sprintf("queue %s does not exist", q.name)
	case q.stoppedBy != nil:
		return nil, fmt.Sprintf("%s is held (stopPolicy %s)", named(q.stoppedBy, q), q.stoppedBy.config.Stop)
	case len(h.growth.reclaims) > 0:
		return nil, "cannot grow while executors of this application are being reclaimed"
	case q.hasPending(h.standing.Priority):
		return nil, fmt.Sprintf("pending applications of queue %s that have not started yet come first", q.name)
	}
	usable, why := e.usableFlavors(q, queueing.PodSet{
		Name: base.Name, Flavors: base.Flavors, Tolerations: h.growth.want.Tolerations, NodeSelector: h.growth.want.NodeSelector,
	})
	if len(usable) == 0 {
		return nil, why
	}
	g := &growthRequest{app: a, podSet: base, flavors: usable, count: elasticPods(h.grant), added: make([]int32, len(usable))}
	for _, f := range usable {
		g.perPod = append(g.perPod, e.forest.Prepare(q.node, appendAmounts(nil, f.Name, 1, base.Requests)))
	}
	return g, ""
}

// hasPending says that an ask of that priority or a higher one waits for room in a queue, other than one for which room is taken back.
func (q *queue) hasPending(priority int32) bool {
	full := q.atMaxRunning() != nil
	for _, class := range q.admissible.items {
		if full && !class.unmanagedExecutor {
			continue
		}
		if first := class.first(); first.ask.priority >= priority && (first.claim == nil || len(class.apps.items) > 1) {
			return true
		}
	}
	return false
}

// canGrow finds the flavor of a grower's next pod. One that wants no more, or for which there is no room, is told so.
func (e *Engine) canGrow(g *growthRequest) bool {
	h := g.app.held
	if g.count >= h.growth.want.Count {
		e.setGrowthMessage(g.app, "")
		return false
	}
	n := h.queue.node
	var first quota.Block
	still, kept := false, false
	for i, need := range g.perPod {
		b, blocked := e.forest.Blocked(n, need)
		if !blocked && !e.isReservedFromGrowth(h.queue, need) {
			g.next = i
			return true
		}
		kept = kept || !blocked
		if blocked && first.Need == 0 {
			first = b
		}
		still = still || e.forest.StillBlocked(n, need, h.growth.blocked)
	}
	switch {
	case kept:
		e.setGrowthMessage(g.app, "free quota is reserved for applications that have headed their queue for longer than its headTimeout")
		return false
	case !still:
		h.growth.blocked = first
	}
	e.setGrowthMessage(g.app, e.growthMessage(h.queue, h.growth.blocked))
	return false
}

// isReservedFromGrowth says that room is kept for somebody who would come off worse with that need of a queue.
func (e *Engine) isReservedFromGrowth(q *queue, need quota.Vector) bool {
	return slices.ContainsFunc(q.tree.reservations, func(r *reservation) bool { return !r.isDone() && e.delays(q, r, need) })
}

// growthBefore says that the next pod is for a rather than for b.
func (e *Engine) growthBefore(a, b *growthRequest) bool {
	p, q := a.app.held, b.app.held
	if order := e.compareSubtrees(a, b); order != 0 {
		return order < 0
	}
	return cmp.Or(cmp.Compare(q.standing.Priority, p.standing.Priority), cmp.Compare(a.count, b.count),
		p.standing.QueuedAt.Compare(q.standing.QueuedAt), compareKeys(a.app.key, b.app.key)) < 0
}

// compareSubtrees orders two growers by their queues: below the node that both are below, by the shares that the sides would have if the
// node is fair; then who stays within the own quota.
func (e *Engine) compareSubtrees(a, b *growthRequest) int {
	p, q := a.app.held.queue, b.app.held.queue
	if p != q {
		left, right := p.subtreeBeside(q), q.subtreeBeside(p)
		if left.parent != nil && left.parent == right.parent && left.parent.fairSharing() {
			if order := quota.CompareShares(e.shareWithGrowth(left, a), left.weight(), e.shareWithGrowth(right, b), right.weight()); order != 0 {
				return order
			}
		}
	}
	borrows := func(g *growthRequest) int {
		if e.forest.Borrows(g.app.held.queue.node, g.perPod[g.next]) {
			return 1
		}
		return 0
	}
	return cmp.Compare(borrows(a), borrows(b))
}

// shareWithGrowth is the share that a queue would have with a grower's next pod.
func (e *Engine) shareWithGrowth(q *queue, g *growthRequest) quota.Share {
	n := g.app.held.queue.node
	e.forest.Add(n, g.perPod[g.next])
	defer e.forest.Remove(n, g.perPod[g.next])
	return e.forest.Share(q.node)
}

// setGrowthMessage tells a holder why it does not get all that it wants.
func (e *Engine) setGrowthMessage(a *app, why string) {
	if a.held.growth.message != why {
		a.held.growth.message = why
		e.changed[a.key] = true
	}
}
