// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing"
)

// SetResizeRequest sets how many pods the holder of a grant wants above its base gang, and reports whether anything
// changed.
func (e *Engine) SetResizeRequest(key queueing.Key, run, attempt int64, w queueing.ResizeRequest) bool {
	a := e.registry.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) || equalResizeRequests(a.held.growth.want, w) {
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

// Allocation returns the allocation of the holder of this run and attempt, or the zero value if the key holds no such
// grant. The pod sets of its grant are shared with the engine: do not modify them.
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

// Settle records that a resized grant was written to the asker's status. From now on this grant is charged, whether
// that is more or less than before. It ignores a grant of another attempt, and one that was resized less often than the
// grant that is held. It reports whether anything changed.
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
			h.queue.tree.dirty = true // the grant may grow again
		}
		return settled
	}
	e.holders.settleReclaims(h, grant)
	e.holders.recharge(a, grant)
	e.registry.changed[key] = true
	return true
}

// elasticOf counts the pods above base gangs in a queue and below it, and the pods wanted in addition. Holders that
// want no more pods still count until a grant without such pods is settled.
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
