// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package waiting

import "github.com/sparkgate/sparkgate/queueing/embedded/internal/state"

// Asks owns the pending asks. It adds them to the equivalence classes of their queues and removes them.
type Asks struct {
	hierarchy *state.Hierarchy
	registry  *state.Registry
	holders   *state.Holders
	rules     *Rules
}

// New returns the pending asks of an engine.
func New(hr *state.Hierarchy, rg *state.Registry, hs *state.Holders, r *Rules) *Asks {
	return &Asks{hr, rg, hs, r}
}

// Revert undoes a grant that was not confirmed. The ask is pending again at its old place.
func (wq *Asks) Revert(a *state.Asker) {
	if a.Ask == nil {
		a.Ask = a.Held.Origin
	}
	wq.holders.Uncharge(a)
	a.Verdict = nil
	wq.Enqueue(a)
	wq.registry.Changed[a.Key] = true
}

// Enqueue adds the ask of an asker without a grant to its equivalence class.
func (wq *Asks) Enqueue(a *state.Asker) {
	q := wq.hierarchy.Queue(a.Ask.Queue)
	access := q.Access(a.Ask)
	key := a.Ask.ClassKey(access)
	class := q.Asks.ClassByKey[key]
	if class == nil {
		class = state.NewClass(key, q, a.Ask)
		wq.rules.evaluate(class, access)
		q.AddClass(class)
	}
	a.Ask.Signature = class.Signature
	a.Class = class
	class.Add(a)
	a.CountPending(q, 1)
	q.Tree.Dirty = true
}

// Dequeue removes the ask from its equivalence class, if it is in one.
func (wq *Asks) Dequeue(a *state.Asker) {
	class := a.Class
	if class == nil {
		return
	}
	class.Remove(a)
	a.Class = nil
	q := class.Queue
	if q.Asks.StrictHead == a {
		q.Asks.StrictHead = nil
	}
	a.CountPending(q, -1)
	q.Tree.Dirty = true
	wq.hierarchy.DropIfUnused(q)
}
