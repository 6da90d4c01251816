// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"maps"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Engine admits askers. It is not safe for concurrent use. It is composed of parts, each of which owns its state and
// uses only the parts listed above it.
type Engine struct {
	hierarchy    *hierarchy
	registry     *registry
	holders      *holders
	waiting      *waiting
	claims       *claims
	reservations *reservations
	admission    *admission
	preemption   *preemption
	growth       *elasticGrowth
	verdicts     *verdicts
	explainer    *explainer
	// lastServedRoot is the root of the tree that Cycle visited last; the next Cycle begins with the tree after it.
	lastServedRoot string
}

// New returns an Engine without queues.
func New() *Engine {
	hr := &hierarchy{}
	rg := &registry{apps: map[queueing.Key]*app{}, changed: map[queueing.Key]bool{}}
	hs := &holders{hierarchy: hr, registry: rg, epochs: map[string]int64{}, elastic: map[queueing.Key]bool{}}
	wq := &waiting{hierarchy: hr}
	cs := &claims{hierarchy: hr, registry: rg, holders: hs, preemptedBy: map[appRun]map[queueing.Key]bool{}, preempted: map[appRun]bool{}}
	rs := &reservations{hierarchy: hr, holders: hs, claims: cs}
	e := &Engine{
		hierarchy: hr, registry: rg, holders: hs, waiting: wq, claims: cs, reservations: rs,
		admission:  &admission{hierarchy: hr, registry: rg, waiting: wq, holders: hs, claims: cs, reservations: rs},
		preemption: &preemption{hierarchy: hr, holders: hs, claims: cs, reservations: rs},
		growth:     &elasticGrowth{hierarchy: hr, registry: rg, holders: hs, reservations: rs},
		verdicts:   &verdicts{hierarchy: hr, registry: rg, reservations: rs},
		explainer:  &explainer{hierarchy: hr, claims: cs, reservations: rs},
	}
	e.Configure(nil, nil)
	return e
}

// SetEpoch sets the epoch of all further grants in the tree with this root. Default: 0.
func (e *Engine) SetEpoch(root string, epoch int64) { e.holders.epochs[root] = epoch }

// Advance sets the time; it never goes back. Without Advance no head of a queue times out, and no quota is reserved.
func (e *Engine) Advance(now time.Time) {
	if now.After(e.reservations.now) {
		e.reservations.now = now
	}
}

// ReserveFor treats a pending ask as the head of its queue after the headTimeout, so that quota is reserved for it from
// the next Cycle on. It is for decisions that another engine has already made. It does nothing if the key is not
// pending in a configured queue.
func (e *Engine) ReserveFor(key queueing.Key) {
	a := e.registry.apps[key]
	if a == nil || a.class == nil || a.class.queue.config == nil {
		return
	}
	q := a.class.queue
	a.ask.headSince, q.blockedHead, q.tree.dirty = e.reservations.now.Add(-q.headTimeout()), a, true
}

// Submit adds an ask, or replaces the pending ask of the same key, and reports whether anything changed. If the key
// holds a grant of the same run and attempt, nothing changes. If it holds another grant, the ask waits until that grant
// is released. Release drops both, so the ask must be submitted again afterwards. The engine keeps the maps and slices
// of the ask, so the caller must not modify them.
func (e *Engine) Submit(in queueing.Ask) bool {
	a := e.registry.apps[in.Key]
	if a != nil && a.held != nil && a.held.isFor(in.Run, in.Attempt) {
		if !a.held.stateKnown { // the grant was restored from a ledger, and its asker has not stored it yet, so it still asks
			e.SetHolderState(in.Key, in.Run, in.Attempt, queueing.HolderState{Priority: in.Priority, QueuedAt: in.QueuedAt})
		}
		return false
	}
	next := askOf(in)
	if a != nil && a.ask != nil && a.ask.equal(next) {
		a.ask.inputs = next.inputs
		return false
	}
	if a == nil {
		a = &app{key: in.Key}
		e.registry.apps[in.Key] = a
	}
	if a.ask != nil {
		next.inherit(a.ask)
	}
	e.waiting.dequeue(a)
	a.ask, a.verdict = next, nil
	if a.held != nil {
		e.registry.changed[a.key] = true
		return true
	}
	e.waiting.enqueue(a)
	return true
}

func askOf(in queueing.Ask) *ask {
	return &ask{
		part: in.Part,
		run:  in.Run, attempt: in.Attempt, queue: in.Queue, labels: in.NamespaceLabels, needsLimits: in.NeedsLimits,
		priority: in.Priority, queuedAt: in.QueuedAt, holdsFor: max(0, in.HoldsFor), elastic: in.Elastic, inputs: in.Inputs, signature: newSignature(in.PodSets),
	}
}

// equal reports whether two asks have the same place in the same queue. Inputs make no difference to that.
func (a *ask) equal(b *ask) bool {
	return a.run == b.run && a.attempt == b.attempt && a.queue == b.queue && a.priority == b.priority &&
		a.queuedAt.Equal(b.queuedAt) && a.holdsFor == b.holdsFor && a.elastic == b.elastic && a.part == b.part && a.needsLimits == b.needsLimits && a.signature.key == b.signature.key &&
		maps.Equal(a.labels, b.labels)
}

// inherit takes over from the replaced ask what it has gained as the head of its queue, unless this ask begins at a new
// place in the queue. Without that, frequent changes of namespace labels could starve an ask, as each change replaces
// it. The expected start is calculated again only if this ask needs more, because other asks were admitted only if they
// end before it.
func (a *ask) inherit(before *ask) {
	if before.queue != a.queue || a.queuedAt.After(before.queuedAt) {
		return
	}
	a.headSince = before.headSince
	if a.signature.needsNoMoreThan(before.signature) {
		a.hasReservation, a.expectedStart = before.hasReservation, before.expectedStart
	}
}

// Release drops whatever the key asks for or holds. It does nothing for an unknown key.
func (e *Engine) Release(key queueing.Key) {
	a := e.registry.apps[key]
	if a == nil {
		return
	}
	e.waiting.dequeue(a)
	e.holders.uncharge(a)
	delete(e.registry.apps, key)
	delete(e.registry.changed, key)
}

// Restore charges a grant that was persisted, even if that exceeds the quota or the queue does not exist, and drops the
// pending ask of the same run and attempt. It replaces the grant that the key holds, if any. A restored grant is
// confirmed. It counts as newer than all grants made or restored before, unless it replaces one of the same attempt.
func (e *Engine) Restore(key queueing.Key, grant queueing.Grant) {
	a := e.registry.apps[key]
	if a == nil {
		a = &app{key: key}
		e.registry.apps[key] = a
	}
	e.holders.grants++
	serial := e.holders.grants
	if a.held != nil && a.held.isFor(grant.Run, grant.Attempt) {
		serial = a.held.serial
	}
	e.waiting.dequeue(a)
	e.holders.uncharge(a)
	if a.ask != nil && a.ask.run == grant.Run && a.ask.attempt == grant.Attempt {
		a.ask = nil
	}
	a.verdict = nil
	e.holders.charge(a, &heldGrant{grant: grant, serial: serial})
	e.registry.changed[key] = true
	e.chargeExistingQueue(a.held)
}

// chargeExistingQueue makes a restored grant count against the nearest existing queue above its own, if its own queue
// or one above it was deleted before this engine knew of it. There may be existing queues between several deleted ones.
func (e *Engine) chargeExistingQueue(h *heldGrant) {
	path := append([]string{h.grant.Queue}, h.grant.Ancestors...)
	for last := -1; ; {
		gap := slices.Index(path, e.hierarchy.firstMissing(h.grant.Queue))
		if gap <= last || !e.chargeBelow(path[gap:]) {
			return
		}
		last = gap
	}
}

// chargeBelow treats the queues at the beginning of a path as deleted, up to the first one that exists. It returns
// false if none exists.
func (e *Engine) chargeBelow(path []string) bool {
	var deleted []config.Queue
	for i, above := range path[1:] {
		deleted = append(deleted, config.Queue{Name: path[i], Parent: above, Deleted: true})
		if e.hierarchy.forest.Find(above) != quota.None {
			e.setQueues(slices.Concat(e.hierarchy.configs, deleted))
			return true
		}
	}
	return false
}

// Revert undoes a grant by Cycle that could not be recorded. A new grant becomes a pending ask again at its old place,
// and a grant that has grown is as it was before. It reports whether there was such an unconfirmed grant.
func (e *Engine) Revert(key queueing.Key) bool {
	a := e.registry.apps[key]
	switch {
	case a != nil && a.held != nil && a.held.growth.before != nil:
		e.holders.revertGrowth(a)
		return true
	case a == nil || a.held == nil || a.held.origin == nil:
		return false
	}
	e.admission.revert(a)
	return true
}

// Confirm marks the grant as recorded, so that it can no longer be reverted.
func (e *Engine) Confirm(key queueing.Key, run, attempt int64) {
	if a := e.registry.apps[key]; a != nil && a.held != nil && a.held.isFor(run, attempt) {
		a.held.origin = nil
	}
}

// Held returns the grant that the key holds, or false if there is none. Its pod sets are shared with the engine: do not
// modify them.
func (e *Engine) Held(key queueing.Key) (queueing.Grant, bool) {
	if a := e.registry.apps[key]; a != nil && a.held != nil {
		return a.held.grant, true
	}
	return queueing.Grant{}, false
}

// Root returns the root of the tree of a configured queue, or the empty string for any other queue.
func (e *Engine) Root(queue string) string {
	if q := e.hierarchy.queues[queue]; q != nil && q.config != nil {
		return q.root().name
	}
	return ""
}

// Verdict returns the verdict on the latest ask of the key. It is Undecided for unknown keys and for asks that no Cycle
// has evaluated. The pod sets of its grant are shared with the engine: do not modify them.
func (e *Engine) Verdict(key queueing.Key) queueing.Verdict {
	a := e.registry.apps[key]
	switch {
	case a == nil:
		return queueing.Verdict{}
	case a.held != nil && a.ask != nil:
		return behindOwnGrant(a.held.grant)
	case a.held != nil && a.held.eviction() != nil:
		grant := a.held.grant
		return queueing.Verdict{State: queueing.Evicting, Grant: &grant}
	case a.held != nil:
		grant := a.held.grant
		return queueing.Verdict{State: queueing.Granted, Grant: &grant}
	case a.verdict != nil:
		return *a.verdict
	}
	return queueing.Verdict{}
}

// Changed returns the keys whose verdict has changed since the last call, sorted. Released keys are not included.
func (e *Engine) Changed() []queueing.Key {
	if len(e.registry.changed) == 0 {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(e.registry.changed), compareKeys)
	e.registry.changed = map[queueing.Key]bool{} // clearing a map takes time proportional to its largest size ever
	return keys
}
