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

// SetWant sets what the holder of a grant wants above its base gang; it reports whether anything changed. Only gated
// grants can grow.
func (e *Engine) SetWant(key queueing.Key, run, attempt int64, w queueing.Want) bool {
	a := e.registry.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) || !a.held.grant.Gated || equalWants(a.held.growth.want, w) {
		return false
	}
	g := &a.held.growth
	g.want = w
	if e.holders.wanting[key] = true; w.Count <= 0 {
		delete(e.holders.wanting, key)
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

// Room returns the allocation of the holder of that run and attempt; the zero value for keys that hold no such grant.
// The pod sets of its grant are shared with the engine: do not change them.
func (e *Engine) Room(key queueing.Key, run, attempt int64) queueing.Room {
	a := e.registry.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) {
		return queueing.Room{}
	}
	grant := a.held.grant
	allocation := queueing.Room{Grant: &grant, Why: a.held.growth.message}
	for _, d := range a.held.growth.reclaims {
		allocation.GiveBack = append(allocation.GiveBack, queueing.GiveBack{Flavor: d.flavor, Count: d.count, Why: d.eviction})
	}
	return allocation
}

// Settle notes that a grant has been written to the application's status: from now on it is charged, less or more. A
// grant that was resized less often than the one that is held, or of another attempt, is ignored. Settle reports
// whether anything changed.
func (e *Engine) Settle(key queueing.Key, grant queueing.Grant) bool {
	a := e.registry.apps[key]
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
	e.holders.settleReclaims(h, grant)
	e.holders.recharge(a, grant)
	e.registry.changed[key] = true
	return true
}

// equalCounts reports whether two grants of one attempt charge the same.
func equalCounts(a, b queueing.Grant) bool {
	return slices.EqualFunc(a.PodSets, b.PodSets, func(a, b queueing.PodSetGrant) bool {
		return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
	})
}

// settleReclaims deducts from the pending reclaims what the next grant releases.
func (hs *holders) settleReclaims(h *heldGrant, next queueing.Grant) {
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

// reclaimPending counts the pods of a flavor that must be released.
func (h *heldGrant) reclaimPending(flavor string) int32 {
	var n int32
	for _, d := range h.growth.reclaims {
		if d.flavor == flavor {
			n += d.count
		}
	}
	return n
}

// reclaimVector returns what must be released of the pods above the base gang.
func (hs *holders) reclaimVector(h *heldGrant) quota.Vector {
	var amounts []quota.Amount
	for i := range h.grant.PodSets {
		if p := &h.grant.PodSets[i]; p.Elastic {
			amounts = appendAmounts(amounts, p.Flavor, h.reclaimPending(p.Flavor), p.Requests)
		}
	}
	return hs.hierarchy.forest.Prepare(h.queue.node, amounts)
}

// growingPodSet returns the pod set of the base gang that wants to grow, or nil.
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
func (eg *elasticGrowth) growthMessage(q *queue, b quota.Block) string {
	limit := eg.hierarchy.forest.Limit(b.Node, b.Cell)
	by := eg.hierarchy.queues[eg.hierarchy.forest.Name(b.Node)]
	return fmt.Sprintf("each needs %s %s of flavor %s; %s may use at most %s and others hold the rest", b.Cell.Resource,
		amountText(b.Cell.Resource, b.Need), b.Cell.Flavor, named(by, q),
		limitText(b.Cell.Resource, limit.Max(), limit, len(eg.hierarchy.forest.Children(b.Node)) > 0))
}

// elasticOf counts the pods above base gangs in a queue and below it, and those that are wanted in addition. Holders
// that want no more pods still count until a grant without such pods is settled.
func (hs *holders) elasticOf(q *queue) (has, wanted int32) {
	for key := range hs.wanting {
		h := hs.registry.apps[key].held
		if h.queue.tree == q.tree && q.contains(h.queue) {
			has += elasticPods(h.grant)
			wanted += max(0, h.growth.want.Count-elasticPods(h.grant))
		}
	}
	return has, wanted
}
