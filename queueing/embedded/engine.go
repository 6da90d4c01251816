// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"maps"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// GateName is the name of this gate in the API and in its grants.
const GateName = "Embedded"

// Engine decides. It is not safe for concurrent use.
type Engine struct {
	forest *quota.Forest
	queues map[string]*queue
	// trees in the order of their roots' names; lost, of the empty name, is the first.
	trees   []*tree
	unknown *tree
	apps    map[queueing.Key]*app
	// configs and flavors are the configuration as it was set.
	configs []QueueConfig
	flavors map[string]*FlavorConfig
	// epochs by root.
	epochs map[string]int64
	// lastServedRoot is the root of the tree that a Cycle looked at last: the next one begins behind it.
	lastServedRoot string
	tournaments    uint64
	// grants counts all that were ever made or restored.
	grants uint64
	// claims in the order in which they were made.
	claims []*claim
	// pastPreemptions are who has displaced whom. Nobody displaces the same application twice, so that it ends.
	pastPreemptions map[pastPreemption]bool
	changed         map[queueing.Key]bool
	// wanting are the holders that want pods above their base gangs, whether they have them or not.
	wanting map[queueing.Key]bool
	// now is the time as of the last Advance; zero if nobody tells the time.
	now time.Time
	// boundedHolders counts the grants of which it is known until when they are held.
	boundedHolders int
}

// New returns an Engine without queues.
func New() *Engine {
	e := &Engine{apps: map[queueing.Key]*app{}, epochs: map[string]int64{}, changed: map[queueing.Key]bool{},
		pastPreemptions: map[pastPreemption]bool{}, wanting: map[queueing.Key]bool{}}
	e.SetFlavors(nil)
	return e
}

// SetEpoch sets the epoch that grants of the tree with that root carry from now on. Default: 0.
func (e *Engine) SetEpoch(root string, epoch int64) { e.epochs[root] = epoch }

// Advance tells the engine the time. It does not go back: an earlier time than the last is passed over. Without it nobody waits too long
// and no room is kept for anybody.
func (e *Engine) Advance(now time.Time) {
	if now.After(e.now) {
		e.now = now
	}
}

// Submit adds an ask or replaces the waiting ask of the same key; it reports whether anything changed. If the key holds a grant of
// the same run and attempt nothing changes. If it holds a grant of another, the ask waits until that grant is released, and
// goes with it: Release drops both, so submit again after it. The engine keeps the maps and slices of the ask; the caller must
// not change them.
func (e *Engine) Submit(in queueing.Ask) bool {
	a := e.apps[in.Key]
	if a != nil && a.held != nil && a.held.isFor(in.Run, in.Attempt) {
		if !a.held.stateKnown { // it was restored from a ledger: its application has not heard of it yet, and asks
			e.SetStanding(in.Key, in.Run, in.Attempt, queueing.Standing{Priority: in.Priority, QueuedAt: in.QueuedAt})
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
		e.apps[in.Key] = a
	}
	e.dequeue(a)
	a.ask, a.verdict = next, nil
	if a.held != nil {
		e.changed[a.key] = true
		return true
	}
	e.enqueue(a)
	return true
}

func askOf(in queueing.Ask) *ask {
	return &ask{
		unmanagedExecutor: in.Part,
		run:               in.Run, attempt: in.Attempt, queue: in.Queue, labels: in.NamespaceLabels, needsLimits: in.NeedsLimits,
		priority: in.Priority, queuedAt: in.QueuedAt, holdsFor: max(0, in.HoldsFor), gated: in.Gated, inputs: in.Inputs, signature: newSignature(in.PodSets),
	}
}

// equal reports whether two asks stand in line alike: what they were made from decides nothing there.
func (a *ask) equal(b *ask) bool {
	return a.run == b.run && a.attempt == b.attempt && a.queue == b.queue && a.priority == b.priority &&
		a.queuedAt.Equal(b.queuedAt) && a.holdsFor == b.holdsFor && a.gated == b.gated && a.unmanagedExecutor == b.unmanagedExecutor && a.needsLimits == b.needsLimits && a.signature.key == b.signature.key &&
		maps.Equal(a.labels, b.labels)
}

// Release drops whatever the key asks or holds. It does nothing for a key that is unknown.
func (e *Engine) Release(key queueing.Key) {
	a := e.apps[key]
	if a == nil {
		return
	}
	e.dequeue(a)
	e.uncharge(a)
	delete(e.apps, key)
	delete(e.changed, key)
}

// Restore charges a grant that was persisted, also above quota, also of a queue that does not exist, and drops the waiting ask of
// the same run and attempt. It replaces a grant that the key holds already. A restored grant is confirmed.
func (e *Engine) Restore(key queueing.Key, grant queueing.Grant) {
	a := e.apps[key]
	if a == nil {
		a = &app{key: key}
		e.apps[key] = a
	}
	e.dequeue(a)
	e.uncharge(a)
	if a.ask != nil && a.ask.run == grant.Run && a.ask.attempt == grant.Attempt {
		a.ask = nil
	}
	a.verdict = nil
	e.grants++
	e.charge(a, &heldGrant{grant: grant, serial: e.grants})
	e.changed[key] = true
}

// Revert takes back a grant of Cycle that could not be recorded: the ask waits again at its old place; a grant that has grown is again
// as it was before. It reports whether there was such a grant that is not confirmed.
func (e *Engine) Revert(key queueing.Key) bool {
	a := e.apps[key]
	switch {
	case a != nil && a.held != nil && a.held.growth.before != nil:
		e.revertGrowth(a)
		return true
	case a == nil || a.held == nil || a.held.origin == nil:
		return false
	}
	if a.ask == nil {
		a.ask = a.held.origin
	}
	e.uncharge(a)
	a.verdict = nil
	e.enqueue(a)
	e.changed[key] = true
	return true
}

// Confirm says that the grant is recorded: it cannot be reverted any more.
func (e *Engine) Confirm(key queueing.Key, run, attempt int64) {
	if a := e.apps[key]; a != nil && a.held != nil && a.held.isFor(run, attempt) {
		a.held.origin = nil
	}
}

// Held returns the grant that the key holds; false if it holds none. Its pod sets are shared with the engine: do not change them.
func (e *Engine) Held(key queueing.Key) (queueing.Grant, bool) {
	if a := e.apps[key]; a != nil && a.held != nil {
		return a.held.grant, true
	}
	return queueing.Grant{}, false
}

// Root returns the name of the root of the tree that a configured queue is in; empty for others.
func (e *Engine) Root(queue string) string {
	if q := e.queues[queue]; q != nil && q.config != nil {
		return q.root().name
	}
	return ""
}

// charge gives a grant to an application that holds none.
func (e *Engine) charge(a *app, h *heldGrant) {
	q := e.queue(h.grant.Queue)
	h.queue, a.held = q, h
	h.index = len(q.holders)
	q.holders = append(q.holders, a)
	e.countBounded(h.standing, 1)
	a.countAdmitted(1)
	if q.node != quota.None {
		h.vector = e.forest.Prepare(q.node, chargedAmounts(h.grant))
		e.forest.Add(q.node, h.vector)
	}
	q.tree.markDirty(false)
}

// uncharge takes back what the application holds, if anything.
func (e *Engine) uncharge(a *app) {
	h := a.held
	if h == nil {
		return
	}
	q := h.queue
	last := q.holders[len(q.holders)-1]
	q.holders[h.index], last.held.index = last, h.index
	q.holders = q.holders[:len(q.holders)-1]
	a.countAdmitted(-1)
	a.held = nil
	delete(e.wanting, a.key)
	e.countBounded(h.standing, -1)
	if q.node != quota.None {
		e.forest.Remove(q.node, h.vector)
	}
	q.tree.markDirty(true)
	e.dropIfUnused(q)
}

// enqueue puts the ask of an application that holds nothing in line.
func (e *Engine) enqueue(a *app) {
	q := e.queue(a.ask.queue)
	access := q.access(a.ask)
	key := a.ask.classKey(access)
	class := q.classByKey[key]
	if class == nil {
		class = newEquivalenceClass(key, q, a.ask)
		e.evaluate(class, access)
		q.addClass(class)
	}
	a.ask.signature = class.signature
	a.class = class
	class.add(a)
	a.countPending(q, 1)
	q.tree.dirty = true
}

// dequeue takes the ask out of its line, if it stands in one.
func (e *Engine) dequeue(a *app) {
	class := a.class
	if class == nil {
		return
	}
	class.remove(a)
	a.class = nil
	q := class.queue
	if q.strictHead == a {
		q.strictHead = nil
	}
	a.countPending(q, -1)
	q.tree.dirty = true
	e.dropIfUnused(q)
}

// queue returns the queue of that name; one that is not known does not exist.
func (e *Engine) queue(name string) *queue {
	q := e.queues[name]
	if q == nil {
		q = newQueue(name, e.unknown)
		e.queues[name] = q
	}
	return q
}

// dropIfUnused drops a queue that does not exist once nobody asks for it or holds anything of it.
func (e *Engine) dropIfUnused(q *queue) {
	if q.node == quota.None && len(q.holders) == 0 && len(q.classes) == 0 {
		delete(e.queues, q.name)
	}
}

// Verdict says where the latest ask of the key stands. It is Undecided for keys that are unknown and for asks that no Cycle has
// looked at. The pod sets of its grant are shared with the engine: do not change them.
func (e *Engine) Verdict(key queueing.Key) queueing.Verdict {
	a := e.apps[key]
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

// Changed returns the keys whose verdict has changed since the last call, sorted, each once. Released keys are not among them.
func (e *Engine) Changed() []queueing.Key {
	if len(e.changed) == 0 {
		return nil
	}
	keys := slices.SortedFunc(maps.Keys(e.changed), compareKeys)
	e.changed = map[queueing.Key]bool{} // to clear one that has been large is as slow as if it still were
	return keys
}

// setVerdict gives a waiting application its verdict.
func (e *Engine) setVerdict(a *app, v *queueing.Verdict) {
	if a.verdict == nil || *a.verdict != *v {
		e.changed[a.key] = true
	}
	a.verdict = v
}
