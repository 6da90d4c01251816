// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// growth is what the holder of a gated grant has and wants above its base gang.
type growth struct {
	want queueing.Want
	// before is the grant as it was before it grew, until the growth is settled; nil if it is. Nobody grows twice before that.
	before *queueing.Grant
	// reclaims are pods above the base gang that are asked back, in the order in which they were.
	reclaims []reclaim
	// blocked is the limit that was in the way of the last pod that was wanted.
	blocked quota.Block
	// message there is not all that is wanted; empty if there is.
	message string
}

// reclaim is a number of pods above the base gang that are asked back in one flavor, for one ask.
type reclaim struct {
	by       queueing.Key
	flavor   string
	count    int32
	eviction queueing.Eviction
}

// SetWant says what the holder of a grant wants above its base gang; it reports whether anything changed. Holders of other grants than
// gated ones want nothing.
func (e *Engine) SetWant(key queueing.Key, run, attempt int64, w queueing.Want) bool {
	a := e.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) || !a.held.grant.Gated || equalWants(a.held.growth.want, w) {
		return false
	}
	g := &a.held.growth
	g.want = w
	if e.wanting[key] = true; w.Count <= 0 {
		delete(e.wanting, key)
	}
	if w.Count <= elasticPods(a.held.grant) {
		g.message = ""
	}
	a.held.queue.tree.dirty = true
	return true
}

func equalWants(a, b queueing.Want) bool {
	sameToleration := func(a, b corev1.Toleration) bool { return a.MatchToleration(&b) }
	return a.PodSet == b.PodSet && a.Count == b.Count && slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration) &&
		equalMaps(a.NodeSelector, b.NodeSelector)
}

func equalMaps(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for key, value := range a {
		if other, has := b[key]; !has || other != value {
			return false
		}
	}
	return true
}

// Room is what the holder of a grant of that run and attempt has; the zero Room for keys that hold no such grant. The pod sets of its
// grant are shared with the engine: do not change them.
func (e *Engine) Room(key queueing.Key, run, attempt int64) queueing.Room {
	a := e.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) {
		return queueing.Room{}
	}
	grant := a.held.grant
	room := queueing.Room{Grant: &grant, Why: a.held.growth.message}
	for _, d := range a.held.growth.reclaims {
		room.GiveBack = append(room.GiveBack, queueing.GiveBack{Flavor: d.flavor, Count: d.count, Why: d.eviction})
	}
	return room
}

// Settle says that a grant stands in the application's status: from here on that is charged, less or more. One that has grown less often
// than what is held, and one of another attempt, is ignored. It reports whether anything changed.
func (e *Engine) Settle(key queueing.Key, grant queueing.Grant) bool {
	a := e.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(grant.Run, grant.Attempt) || a.held.grant.Resizes != grant.Resizes {
		return false
	}
	h := a.held
	settled := h.growth.before != nil
	h.origin, h.growth.before = nil, nil
	if equalCounts(h.grant, grant) {
		if settled {
			h.queue.tree.dirty = true // it may grow again
		}
		return settled
	}
	e.settleReclaims(h, grant)
	e.recharge(a, grant)
	e.changed[key] = true
	return true
}

// equalCounts says that two grants of one attempt charge the same.
func equalCounts(a, b queueing.Grant) bool {
	return slices.EqualFunc(a.PodSets, b.PodSets, func(a, b queueing.PodSetGrant) bool {
		return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
	})
}

// settleReclaims takes off the debts what a grant has become smaller.
func (e *Engine) settleReclaims(h *heldGrant, next queueing.Grant) {
	debts := h.growth.reclaims[:0:0]
	paid := map[string]int32{}
	for _, d := range h.growth.reclaims {
		left := max(0, elasticPodsIn(h.grant, d.flavor)-elasticPodsIn(next, d.flavor)) - paid[d.flavor]
		now := min(d.count, max(0, left))
		paid[d.flavor] += now
		if d.count -= now; d.count > 0 {
			debts = append(debts, d)
		}
	}
	h.growth.reclaims = debts
}

// recharge replaces the grant that an application holds by one of the same attempt.
func (e *Engine) recharge(a *app, grant queueing.Grant) {
	h := a.held
	less := elasticPods(grant) < elasticPods(h.grant)
	h.grant = grant
	if n := h.queue.node; n != quota.None {
		e.forest.Remove(n, h.vector)
		h.vector = e.forest.Prepare(n, chargedAmounts(grant))
		e.forest.Add(n, h.vector)
	}
	h.queue.tree.markDirty(less)
}

// revertGrowth takes growth back that could not be recorded.
func (e *Engine) revertGrowth(a *app) {
	before := *a.held.growth.before
	a.held.growth.before = nil
	e.settleReclaims(a.held, before)
	e.recharge(a, before)
	e.changed[a.key] = true
}

// elasticPods counts the pods above the base gang of a grant, and aboveIn those in one flavor.
func elasticPods(g queueing.Grant) int32 {
	var n int32
	for i := range g.PodSets {
		if g.PodSets[i].Elastic {
			n += g.PodSets[i].Count
		}
	}
	return n
}

func elasticPodsIn(g queueing.Grant, flavor string) int32 {
	var n int32
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Elastic && p.Flavor == flavor {
			n += p.Count
		}
	}
	return n
}

// reclaimPending counts the pods of a flavor that are asked back.
func (h *heldGrant) reclaimPending(flavor string) int32 {
	var n int32
	for _, d := range h.growth.reclaims {
		if d.flavor == flavor {
			n += d.count
		}
	}
	return n
}

// reclaimVector is what is asked back of the pods above the base gang.
func (e *Engine) reclaimVector(h *heldGrant) quota.Vector {
	var amounts []quota.Amount
	for i := range h.grant.PodSets {
		if p := &h.grant.PodSets[i]; p.Elastic {
			amounts = appendAmounts(amounts, p.Flavor, h.reclaimPending(p.Flavor), p.Requests)
		}
	}
	return e.forest.Prepare(h.queue.node, amounts)
}

// cancelReclaims drops the debts of a holder to one for whom the room is not taken any more.
func (e *Engine) cancelReclaims(key, by queueing.Key) {
	a := e.apps[key]
	if a == nil || a.held == nil {
		return
	}
	before := len(a.held.growth.reclaims)
	a.held.growth.reclaims = slices.DeleteFunc(slices.Clone(a.held.growth.reclaims), func(d reclaim) bool { return d.by == by })
	if len(a.held.growth.reclaims) != before {
		e.changed[key] = true
		a.held.queue.tree.dirty = true
	}
}

// growingPodSet is the pod set of the base gang that wants to grow, or nil.
func (h *heldGrant) growingPodSet() *queueing.PodSetGrant {
	for i := range h.grant.PodSets {
		if p := &h.grant.PodSets[i]; p.Name == h.growth.want.PodSet && !p.Elastic {
			return p
		}
	}
	return nil
}

// withGrowth is a grant with that many more pods in each flavor, as an own pod set for each.
func withGrowth(g queueing.Grant, base *queueing.PodSetGrant, flavors []*FlavorConfig, more []int32) queueing.Grant {
	out := g
	out.Resizes++
	out.PodSets = slices.Clone(g.PodSets)
	for i, f := range flavors {
		if more[i] == 0 {
			continue
		}
		at := slices.IndexFunc(out.PodSets, func(p queueing.PodSetGrant) bool {
			return p.Elastic && p.Name == base.Name && p.Flavor == f.Name
		})
		if at < 0 {
			at = len(out.PodSets)
			out.PodSets = append(out.PodSets, queueing.PodSetGrant{
				Name: base.Name, Flavor: f.Name, Requests: base.Requests, NodeSelector: f.NodeLabels, Tolerations: f.Tolerations, Elastic: true,
			})
		}
		out.PodSets[at].Count += more[i]
	}
	return out
}

// growthMessage is why the holder of a grant does not get all that it wants, for a limit that is in the way.
func (e *Engine) growthMessage(q *queue, b quota.Block) string {
	limit := e.forest.Limit(b.Node, b.Cell)
	by := e.queues[e.forest.Name(b.Node)]
	return fmt.Sprintf("each needs %s %s of flavor %s; %s may use at most %s and others hold the rest", b.Cell.Resource,
		amountText(b.Cell.Resource, b.Need), b.Cell.Flavor, named(by, q),
		limitText(b.Cell.Resource, limit.Max(), limit, len(e.forest.Children(b.Node)) > 0))
}

// elasticOf counts the pods above base gangs in a queue and below it, and those that are wanted beside. Holders that want none count once
// they have written down that they have none.
func (e *Engine) elasticOf(q *queue) (has, wanted int32) {
	for key := range e.wanting {
		h := e.apps[key].held
		if h.queue.tree == q.tree && q.contains(h.queue) {
			has += elasticPods(h.grant)
			wanted += max(0, h.growth.want.Count-elasticPods(h.grant))
		}
	}
	return has, wanted
}
