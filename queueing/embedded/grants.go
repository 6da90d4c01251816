// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// SetResizeRequest sets how many pods the holder of a grant wants above its base gang, and reports whether anything
// changed.
func (e *Engine) SetResizeRequest(key queueing.Key, run, attempt int64, w queueing.ResizeRequest) bool {
	a := e.registry.Askers[key]
	if a == nil || a.Held == nil || !a.Held.IsFor(run, attempt) || state.EqualResizeRequests(a.Held.Growth.Want, w) {
		return false
	}
	g := &a.Held.Growth
	g.Want = w
	e.holders.NoteElastic(a)
	if w.Count <= state.ElasticPods(a.Held.Grant) {
		g.Message = ""
	}
	a.Held.Queue.Tree.Dirty = true
	return true
}

// Allocation returns the allocation of the holder of this run and attempt, or the zero value if the key holds no such
// grant. The pod sets of its grant are shared with the engine: do not modify them.
func (e *Engine) Allocation(key queueing.Key, run, attempt int64) queueing.Allocation {
	a := e.registry.Askers[key]
	if a == nil || a.Held == nil || !a.Held.IsFor(run, attempt) {
		return queueing.Allocation{}
	}
	grant := a.Held.Grant
	allocation := queueing.Allocation{Grant: &grant, Why: a.Held.Growth.Message}
	for _, d := range a.Held.Growth.Reclaims {
		allocation.Reclaims = append(allocation.Reclaims, queueing.Reclaim{Flavor: d.Flavor, Count: d.Count, Why: d.Eviction})
	}
	return allocation
}

// Settle records that a resized grant was written to the asker's status. From now on this grant is charged, whether
// that is more or less than before. It ignores a grant of another attempt, and one that was resized less often than the
// grant that is held. It reports whether anything changed.
func (e *Engine) Settle(key queueing.Key, grant queueing.Grant) bool {
	a := e.registry.Askers[key]
	if a == nil || a.Held == nil || !a.Held.IsFor(grant.Run, grant.Attempt) || a.Held.Grant.Resizes != grant.Resizes {
		return false
	}
	h := a.Held
	settled := h.Growth.Before != nil
	h.Origin, h.Growth.Before = nil, nil
	if state.EqualCounts(h.Grant, grant) {
		if settled {
			h.Queue.Tree.Dirty = true // the grant may grow again
		}
		return settled
	}
	e.holders.SettleReclaims(h, grant)
	e.holders.Recharge(a, grant)
	e.registry.Changed[key] = true
	return true
}

// Eviction returns why the grant of this run and attempt must be released, or nil if it may be kept. An eviction lasts
// as long as the grant is held, unless it is due to a drained queue that is resumed.
func (e *Engine) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if a := e.registry.Askers[key]; a != nil && a.Held != nil && a.Held.IsFor(run, attempt) {
		return a.Held.Eviction()
	}
	return nil
}

// SetHolderState sets the state of a holder, after Restore and whenever it changes. While the state of any holder in a
// tree is unknown, nothing in that tree is preempted. Grants that will be released anyway are never preempted.
func (e *Engine) SetHolderState(key queueing.Key, run, attempt int64, s queueing.HolderState) {
	a := e.registry.Askers[key]
	if a == nil || a.Held == nil || !a.Held.IsFor(run, attempt) {
		return
	}
	h := a.Held
	if h.StateKnown && equalHolderStates(h.Standing, s) {
		return
	}
	e.holders.SetState(a, s)
	h.Queue.Tree.MarkDirty(false)
}

func equalHolderStates(a, b queueing.HolderState) bool {
	return a.Priority == b.Priority && a.Terminating == b.Terminating && a.Stuck == b.Stuck && a.QueuedAt.Equal(b.QueuedAt) && a.ReleasedBy.Equal(b.ReleasedBy)
}

// Confirm marks the grant as recorded, so that it can no longer be reverted.
func (e *Engine) Confirm(key queueing.Key, run, attempt int64) {
	if a := e.registry.Askers[key]; a != nil && a.Held != nil && a.Held.IsFor(run, attempt) {
		a.Held.Origin = nil
	}
}

// Held returns the grant that the key holds, or false if there is none. Its pod sets are shared with the engine: do not
// modify them.
func (e *Engine) Held(key queueing.Key) (queueing.Grant, bool) {
	if a := e.registry.Askers[key]; a != nil && a.Held != nil {
		return a.Held.Grant, true
	}
	return queueing.Grant{}, false
}

// Explain returns the live view of an asker that has an ask or a grant, or false if it has neither. It changes nothing.
func (e *Engine) Explain(key queueing.Key) (explain.Explanation, bool) {
	a := e.registry.Askers[key]
	if a == nil || a.Ask == nil && a.Held == nil {
		return explain.Explanation{}, false
	}
	v := e.Verdict(key)
	out := explain.Explanation{State: v.State, Reason: v.Reason, Message: v.Message}
	if h := a.Held; h != nil {
		out.Queue = h.Grant.Queue
		out.Holding = &explain.HeldGrant{
			Run: h.Grant.Run, Attempt: h.Grant.Attempt, Priority: h.Standing.Priority, PodSets: h.Grant.PodSets,
			Terminating: h.Standing.Terminating, Eviction: h.Eviction(),
			Wants: max(0, h.Growth.Want.Count-state.ElasticPods(h.Grant)), Why: h.Growth.Message,
		}
		out.Holding.Reclaims = e.Allocation(key, h.Grant.Run, h.Grant.Attempt).Reclaims
	}
	if a.Ask != nil {
		out.Queue = a.Ask.Queue
		out.Pending = e.view.Pending(a)
	}
	return out, true
}
