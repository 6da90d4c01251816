// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// app is one key: what it asks, what it holds, or both (then the ask waits for the release of what is held).
type app struct {
	key  queueing.Key
	ask  *ask
	held *heldGrant
	// claim of the pending ask; nil if nothing is reclaimed for it.
	claim *claim
	// verdict is the verdict on the waiting ask as of the last Cycle that looked at it; nil is Undecided.
	verdict *queueing.Verdict
	// class in which the ask stands, and its place there; nil while it stands in none.
	class     *equivalenceClass
	heapIndex int
}

// ask is one attempt that wants a grant.
type ask struct {
	run, attempt int64
	queue        string
	labels       map[string]string
	// needsLimits: see queueing.Ask.
	needsLimits bool
	priority    int32
	queuedAt    time.Time
	// holdsFor bounds how long the grant is held; 0 is no bound.
	holdsFor time.Duration
	// gated: the grant may grow.
	gated bool
	// inputs of the ask, which are copied into the grant.
	inputs string
	// unmanagedExecutor: see queueing.Ask.Part.
	unmanagedExecutor bool
	signature         *signature
	// headSince is when the ask, or one before it, became the blocked head of its queue; zero if none has.
	headSince time.Time
	// hasReservation is set once quota has been reserved for the ask, and expectedStart is when the ask starts at the
	// latest, as of then; zero if unknown.
	hasReservation bool
	expectedStart  time.Time
}

// classKey returns the key of the equivalence class of the ask: asks with the same needs for the same time, by their
// access to the queue.
func (a *ask) classKey(access access) string {
	switch {
	case access == notSelected:
		return "-" + a.signature.key
	case access == withoutLimits:
		return "!" + a.signature.key
	case a.unmanagedExecutor:
		return "*" + a.signature.key
	}
	if a.holdsFor == 0 {
		return "+" + a.signature.key
	}
	return "+" + a.holdsFor.String() + " " + a.signature.key
}

// heldGrant is one grant that is charged.
type heldGrant struct {
	grant queueing.Grant
	queue *queue
	// vector is what is charged, where queue has a node.
	vector quota.Vector
	// origin is the ask that was granted, to go back to; nil once the grant is confirmed.
	origin *ask
	// standing of the holder; known is false for a restored grant until SetStanding.
	standing   queueing.Standing
	stateKnown bool
	// serial grows with every grant: the newest is displaced first.
	serial uint64
	// evicted is why the grant must be released.
	evicted *queueing.Eviction
	// growth is what a gated grant has and wants above its base gang.
	growth growth
	// index among those that hold something of the queue.
	index int
}

func (h *heldGrant) isFor(run, attempt int64) bool {
	return h.grant.Run == run && h.grant.Attempt == attempt
}

// compareApps orders pending applications: higher priority, then older, then smaller UID. Namespace and name make the
// order total.
func compareApps(a, b *app) int {
	if a.ask.priority != b.ask.priority {
		return cmp.Compare(b.ask.priority, a.ask.priority)
	}
	if order := a.ask.queuedAt.Compare(b.ask.queuedAt); order != 0 {
		return order
	}
	if a.key.UID != b.key.UID {
		return strings.Compare(a.key.UID, b.key.UID)
	}
	return compareKeys(a.key, b.key)
}

func compareKeys(a, b queueing.Key) int {
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}

// tree holds all queues below one root, which are decided on together. Queues that do not exist are in the tree of
// the empty name.
type tree struct {
	root string
	// queues of the tree, and those of them with pending asks, sorted by name.
	queues, pendingQueues []*queue
	// dirty: something has happened since the last complete pass.
	dirty bool
	// reservations of the current or last cycle, in the order of their asks.
	reservations []*reservation
	// quotaVersion grows when an ask that did not fit may fit now, holderVersion when anything about the holders has
	// changed.
	quotaVersion, holderVersion uint64
}

func newTree(root string) *tree {
	return &tree{root: root, dirty: true, quotaVersion: 1, holderVersion: 1}
}

// markDirty notes a change that may admit an ask, and whether it may have freed quota.
func (t *tree) markDirty(quotaFreed bool) {
	t.dirty = true
	t.holderVersion++
	if quotaFreed {
		t.quotaVersion++
	}
}

// queue is a name that is configured, asked for, or charged.
type queue struct {
	name string
	tree *tree
	// parent is the queue that this one weighs on.
	parent *queue
	// config is nil for a queue that does not exist.
	config *QueueConfig
	// node is quota.None for a queue that is in no tree.
	node quota.NodeID
	// stoppedBy is this queue or the nearest one above it that is stopped, drainedBy the nearest that is drained.
	stoppedBy, drainedBy *queue
	// flavors in which the queue may place pods.
	flavors []string
	// limited: the queue, or another of its tree, has a quota. noQuota: none has one, and the root is not unlimited.
	limited, noQuota bool

	// classByKey and classes hold the pending asks by equivalence class, in no particular order; admissible holds the
	// classes that are not inadmissible, the one with the first ask at place 0.
	classByKey map[string]*equivalenceClass
	classes    []*equivalenceClass
	admissible heap[*equivalenceClass]
	// blockReason is why no ask of the queue is admitted, as of the last verdicts; staleClasses are the classes whose
	// verdicts may need another update.
	blockReason  blockReason
	staleClasses []*equivalenceClass
	// blockedHead is the head as of the last cycle if it did not fit; strictHead is the same for a StrictFIFO queue.
	blockedHead, strictHead *app
	// entries holds the classes that may still be granted something in this tournament, the one with the first ask at
	// place 0.
	entries heap[entry]
	// borrows: the first ask needs more than the queue's own quota. See type tournament for the others.
	borrows, recheckNeeded, inRecheckList bool
	// winner is the queue, this one or one below it, that comes first in the tournament; nil if none competes.
	// competing holds the children that compete, heapIndex is the place among the siblings, share what the queue
	// would have with the winner's first ask; all as of the tournament of that number.
	winner     *queue
	competing  heap[*queue]
	heapIndex  int
	share      quota.Share
	tournament uint64

	// pending and admitted count this queue and those below it; holders are those that hold something of this queue alone.
	pending, admitted int32
	holders           []*app
	// pods that belong to no application, of this queue and those below it.
	pods PodCount
}

// equivalenceClass holds the asks of one queue with the same needs, the first one at place 0.
type equivalenceClass struct {
	key       string
	queue     *queue
	signature *signature
	// holdsFor bounds how long a grant is held; 0 is no bound.
	holdsFor time.Duration
	// unmanagedExecutor: the asks are executors of a driver that belongs to no application (queueing.Ask.Part). They neither
	// count for maxRunning nor wait for other applications to end: they would wait for their own driver.
	unmanagedExecutor bool
	// index in the queue's order, rank in its ranked lines.
	index, heapIndex int
	apps             heap[*app]
	// inadmissible is why no ask of this class can be admitted until the configuration changes; Undecided if they
	// can.
	inadmissible queueing.Verdict
	// options are the ways to place the pods in order of preference, without those that can never fit; choice is the
	// first one that fitted when the class was last tried.
	options []option
	choice  int
	// blocked is the limit that blocked the class when it was last tried; reserved: enough quota was free, but
	// reserved for others.
	blocked  quota.Block
	reserved bool
	// triedAt is the tree's quotaVersion as of which the class did not fit, and preemptionTriedAt its holderVersion
	// as of which preemptionTriedFor found no targets.
	triedAt, preemptionTriedAt uint64
	preemptionTriedFor         *app
	// verdictStale: it is listed in its queue.
	verdictStale bool
	// blockReason is why the class is pending as of the last cycle, and verdict says so.
	blockReason blockReason
	verdict     *queueing.Verdict
	// arrived are the asks that have been added since.
	arrived []*app
}

func newEquivalenceClass(key string, q *queue, a *ask) *equivalenceClass {
	class := &equivalenceClass{key: key, queue: q, signature: a.signature, holdsFor: a.holdsFor, unmanagedExecutor: a.unmanagedExecutor}
	class.apps.before = func(a, b *app) bool { return compareApps(a, b) < 0 }
	class.apps.moved = func(a *app, place int) { a.heapIndex = place }
	return class
}

// isInadmissible reports whether no ask of this class can be admitted until the configuration changes.
func (class *equivalenceClass) isInadmissible() bool {
	return class.inadmissible.State != queueing.Undecided
}

func (class *equivalenceClass) first() *app { return class.apps.items[0] }

func newQueue(name string, t *tree) *queue {
	q := &queue{name: name, tree: t, node: quota.None, classByKey: map[string]*equivalenceClass{}}
	q.entries.before = entry.before
	q.entries.moved = func(entry, int) {}
	q.admissible.before = func(a, b *equivalenceClass) bool { return compareApps(a.first(), b.first()) < 0 }
	q.admissible.moved = func(class *equivalenceClass, place int) { class.heapIndex = place }
	q.competing.before = q.childBefore
	q.competing.moved = func(child *queue, place int) { child.heapIndex = place }
	return q
}

// entry is a class in the tournament, with a copy of what orders its first ask: there may be many classes, most of
// which are compared often and granted nothing.
type entry struct {
	class    *equivalenceClass
	priority int32
	queuedAt time.Time
}

func (class *equivalenceClass) entry() entry {
	first := class.first().ask
	return entry{class: class, priority: first.priority, queuedAt: first.queuedAt}
}

func (a entry) before(b entry) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	if order := a.queuedAt.Compare(b.queuedAt); order != 0 {
		return order < 0
	}
	return compareApps(a.class.first(), b.class.first()) < 0
}

// root is the uppermost queue that exists above this one.
func (q *queue) root() *queue {
	for q.parent != nil && q.parent.config != nil {
		q = q.parent
	}
	return q
}

// access is whether an ask may use its queue.
type access int

const (
	allowed access = iota
	// notSelected: the selector of the queue does not match.
	notSelected
	// withoutLimits: the queue has no quota, which is not for everybody.
	withoutLimits
)

// access returns whether an ask may use the queue.
func (q *queue) access(a *ask) access {
	switch {
	case q.config == nil, q.config.Admits == nil, !q.config.Admits(a.labels):
		return notSelected
	case a.needsLimits && !q.limited && !q.config.NamesNamespaces:
		return withoutLimits
	}
	return allowed
}

func (q *queue) strict() bool { return q.config.Strategy == StrictFIFO }
