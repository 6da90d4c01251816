// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/explain"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/admission"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/claims"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/growth"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/preemption"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/reservations"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/verdicts"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/waiting"
)

// GateName is the name of this gate in the API and in its grants.
const GateName = state.GateName

// Decision is a new grant, or the growth of a grant.
type Decision = state.Decision

// Engine admits askers. It is not safe for concurrent use. It is composed of parts, each of which owns its state and
// uses only the parts listed above it.
type Engine struct {
	hierarchy    *state.Hierarchy
	registry     *state.Registry
	holders      *state.Holders
	waiting      *waiting.Asks
	claims       *claims.Book
	reservations *reservations.Book
	admission    *admission.Admitter
	preemption   *preemption.Planner
	growth       *growth.Grower
	verdicts     *verdicts.Writer
	view         *explain.View
	// lastServedRoot is the root of the tree that Cycle visited last; the next Cycle begins with the tree after it.
	lastServedRoot string
}

// New returns an Engine without queues.
func New() *Engine {
	hr := &state.Hierarchy{}
	rg := state.NewRegistry()
	hs := state.NewHolders(hr, rg)
	ru := waiting.NewRules(hr)
	wq := waiting.New(hr, rg, hs, ru)
	cs := claims.New(hr, rg, hs)
	rs := reservations.New(hr, hs, cs)
	e := &Engine{
		hierarchy: hr, registry: rg, holders: hs, waiting: wq, claims: cs, reservations: rs,
		admission:  admission.New(admission.Parts{Hierarchy: hr, Registry: rg, Holders: hs, Waiting: wq, Claims: cs, Reservations: rs}),
		preemption: preemption.New(hr, hs, wq, cs, rs),
		growth:     growth.New(hr, rg, hs, ru, rs),
		verdicts:   verdicts.New(hr, rg, rs),
		view:       explain.New(hr, ru, hs, cs, rs),
	}
	e.Configure(nil, nil)
	return e
}

// Queues shows the queues as they are now.
func (e *Engine) Queues() *explain.View { return e.view }

// SetEpoch sets the epoch of all further grants in the tree with this root. Default: 0.
func (e *Engine) SetEpoch(root string, epoch int64) { e.holders.Epochs[root] = epoch }

// Advance sets the time; it never goes back. Without Advance no head of a queue times out, and no quota is reserved.
func (e *Engine) Advance(now time.Time) { e.reservations.Advance(now) }

// ReserveFor treats a pending ask as the head of its queue after the headTimeout, so that quota is reserved for it from
// the next Cycle on. It is for decisions that another engine has already made. It does nothing if the key is not
// pending in a configured queue.
func (e *Engine) ReserveFor(key queueing.Key) {
	if a := e.registry.Askers[key]; a != nil && a.Class != nil && a.Class.Queue.Config != nil {
		e.reservations.ReserveFor(a)
	}
}

// Submit adds an ask, or replaces the pending ask of the same key, and reports whether anything changed. If the key
// holds a grant of the same run and attempt, nothing changes. If it holds another grant, the ask waits until that grant
// is released. Release drops both, so the ask must be submitted again afterwards. The engine keeps the maps and slices
// of the ask, so the caller must not modify them.
func (e *Engine) Submit(in queueing.Ask) bool {
	a := e.registry.Askers[in.Key]
	if a != nil && a.Held != nil && a.Held.IsFor(in.Run, in.Attempt) {
		if !a.Held.StateKnown { // the grant was restored from a ledger, and its asker has not stored it yet, so it still asks
			e.SetHolderState(in.Key, in.Run, in.Attempt, queueing.HolderState{Priority: in.Priority, QueuedAt: in.QueuedAt})
		}
		return false
	}
	next := state.AskOf(in)
	if a != nil && a.Ask != nil && a.Ask.Equal(next) {
		a.Ask.Inputs = next.Inputs
		return false
	}
	if a == nil {
		a = &state.Asker{Key: in.Key}
		e.registry.Askers[in.Key] = a
	}
	if a.Ask != nil {
		next.Inherit(a.Ask)
	}
	e.waiting.Dequeue(a)
	a.Ask, a.Verdict = next, nil
	if a.Held != nil {
		e.registry.Changed[a.Key] = true
		return true
	}
	e.waiting.Enqueue(a)
	return true
}

// Release drops whatever the key asks for or holds. It does nothing for an unknown key.
func (e *Engine) Release(key queueing.Key) {
	a := e.registry.Askers[key]
	if a == nil {
		return
	}
	e.waiting.Dequeue(a)
	e.reservations.Ends.Note(a.Held, e.reservations.Now)
	e.holders.Uncharge(a)
	delete(e.registry.Askers, key)
	delete(e.registry.Changed, key)
}

// Restore charges a grant that was persisted, even if that exceeds the quota or the queue does not exist, and drops the
// pending ask of the same run and attempt. It replaces the grant that the key holds, if any. A restored grant is
// confirmed. It counts as newer than all grants made or restored before, unless it replaces one of the same attempt.
func (e *Engine) Restore(key queueing.Key, grant queueing.Grant) {
	a := e.registry.Askers[key]
	if a == nil {
		a = &state.Asker{Key: key}
		e.registry.Askers[key] = a
	}
	e.holders.Grants++
	serial := e.holders.Grants
	if a.Held != nil && a.Held.IsFor(grant.Run, grant.Attempt) {
		serial = a.Held.Serial
	}
	e.waiting.Dequeue(a)
	e.holders.Uncharge(a)
	if a.Ask != nil && a.Ask.Run == grant.Run && a.Ask.Attempt == grant.Attempt {
		a.Ask = nil
	}
	a.Verdict = nil
	e.holders.Charge(a, &state.Held{Grant: grant, Serial: serial})
	e.registry.Changed[key] = true
	e.chargeExistingQueue(a.Held)
}

// chargeExistingQueue makes a restored grant count against the nearest existing queue above its own, if its own queue
// or one above it was deleted before this engine knew of it. There may be existing queues between several deleted ones.
func (e *Engine) chargeExistingQueue(h *state.Held) {
	path := append([]string{h.Grant.Queue}, h.Grant.Ancestors...)
	for last := -1; ; {
		gap := slices.Index(path, e.hierarchy.FirstMissing(h.Grant.Queue))
		if gap <= last {
			return
		}
		deleted := e.hierarchy.DeletedAbove(path[gap:])
		if deleted == nil {
			return
		}
		e.setQueues(slices.Concat(e.hierarchy.Configs, deleted))
		last = gap
	}
}

// Revert undoes a grant by Cycle that could not be recorded. A new grant becomes a pending ask again at its old place,
// and a grant that has grown is as it was before. It reports whether there was such an unconfirmed grant.
func (e *Engine) Revert(key queueing.Key) bool {
	a := e.registry.Askers[key]
	switch {
	case a != nil && a.Held != nil && a.Held.Growth.Before != nil:
		e.holders.RevertGrowth(a)
		return true
	case a == nil || a.Held == nil || a.Held.Origin == nil:
		return false
	}
	e.waiting.Revert(a)
	return true
}

// Verdict returns the verdict on the latest ask of the key. It is Undecided for unknown keys and for asks that no Cycle
// has evaluated. The pod sets of its grant are shared with the engine: do not modify them.
func (e *Engine) Verdict(key queueing.Key) queueing.Verdict {
	a := e.registry.Askers[key]
	switch {
	case a == nil:
		return queueing.Verdict{}
	case a.Held != nil && a.Ask != nil:
		return queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota,
			Message: fmt.Sprintf("waiting for run %d attempt %d to release its grant", a.Held.Grant.Run, a.Held.Grant.Attempt)}
	case a.Held != nil && a.Held.Eviction() != nil:
		grant := a.Held.Grant
		return queueing.Verdict{State: queueing.Evicting, Grant: &grant}
	case a.Held != nil:
		grant := a.Held.Grant
		return queueing.Verdict{State: queueing.Granted, Grant: &grant}
	case a.Verdict != nil:
		return *a.Verdict
	}
	return queueing.Verdict{}
}

// Changed returns the keys whose verdict has changed since the last call, sorted. Released keys are not included.
func (e *Engine) Changed() []queueing.Key {
	if len(e.registry.Changed) == 0 {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(e.registry.Changed), state.CompareKeys)
	e.registry.Changed = map[queueing.Key]bool{} // clearing a map takes time proportional to its largest size ever
	return keys
}
