// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing"
)

// SetResizeRequest sets what the holder of a grant wants above its base gang; it reports whether anything changed. Only
// gated grants can grow.
func (e *Engine) SetResizeRequest(key queueing.Key, run, attempt int64, w queueing.ResizeRequest) bool {
	a := e.registry.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) || !a.held.grant.SchedulingGated || equalResizeRequests(a.held.growth.want, w) {
		return false
	}
	g := &a.held.growth
	g.want = w
	e.holders.noteElastic(a)
	if w.Count <= elasticPods(a.held.grant) {
		g.message = ""
	}
	a.held.queue.tree.dirty = true
	return true
}

// Allocation returns the allocation of the holder of that run and attempt; the zero value for keys that hold no such
// grant. The pod sets of its grant are shared with the engine: do not change them.
func (e *Engine) Allocation(key queueing.Key, run, attempt int64) queueing.Allocation {
	a := e.registry.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) {
		return queueing.Allocation{}
	}
	grant := a.held.grant
	allocation := queueing.Allocation{Grant: &grant, Why: a.held.growth.message}
	for _, d := range a.held.growth.reclaims {
		allocation.Reclaims = append(allocation.Reclaims, queueing.Reclaim{Flavor: d.flavor, Count: d.count, Why: d.eviction})
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

// elasticOf counts the pods above base gangs in a queue and below it, and those that are wanted in addition. Holders
// that want no more pods still count until a grant without such pods is settled.
func (hs *holders) elasticOf(q *queue) (has, wanted int32) {
	for key := range hs.elastic {
		h := hs.registry.apps[key].held
		if h.queue.tree == q.tree && q.contains(h.queue) {
			has += elasticPods(h.grant)
			wanted += max(0, h.growth.want.Count-elasticPods(h.grant))
		}
	}
	return has, wanted
}
