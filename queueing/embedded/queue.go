// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"slices"
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
	// claim is the room that is taken back for the waiting ask, if any.
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
	// inputs of the ask, which the grant tells.
	inputs string
	// unmanagedExecutor: see queueing.Ask.Part.
	unmanagedExecutor bool
	signature         *signature
	// headSince is since when the ask, or one that was first in line before it, has been first in line without room; zero if it has not.
	headSince time.Time
	// hasReservation says that room has been kept for it, and roomAt when it would have it at the latest, as of then; zero if that is not known.
	hasReservation bool
	expectedStart  time.Time
}

// classKey is the key of the line in which the ask stands: one for all that need the same for as long, by whether they may use the queue.
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
	// evicted is why the room is asked back.
	evicted *queueing.Eviction
	// growth is what a gated grant has and wants above its base gang.
	growth growth
	// index among those that hold something of the queue.
	index int
}

func (h *heldGrant) isFor(run, attempt int64) bool {
	return h.grant.Run == run && h.grant.Attempt == attempt
}

// compareApps orders those who wait: higher priority, then older, then smaller UID. Namespace and name make it total.
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

// tree is what is decided together: all queues below one root. Queues that do not exist are in the tree of the empty name.
type tree struct {
	root string
	// queues of the tree and, of them, those in which somebody waits, in the order of their names.
	queues, pendingQueues []*queue
	// dirty: something has happened since the last complete pass.
	dirty bool
	// reservations is the room that is kept for those who have waited too long, in the order of those, as of the running or last pass.
	reservations []*reservation
	// quotaVersion grows when an ask that had no room may have some now, moved when anything about those has changed who hold something.
	quotaVersion, holderVersion uint64
}

func newTree(root string) *tree {
	return &tree{root: root, dirty: true, quotaVersion: 1, holderVersion: 1}
}

// markDirty says that something has happened that bears on who may start, and whether those may have room now who had none.
func (t *tree) markDirty(room bool) {
	t.dirty = true
	t.holderVersion++
	if room {
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
	// stoppedBy is this queue or the nearest one above it that has been stopped, drainedBy the nearest that is to be empty.
	stoppedBy, drainedBy *queue
	// flavors in which the queue may place pods.
	flavors []string
	// limited: the queue, or another of its tree, has a quota.
	limited bool

	// classByKey of those who wait, one a shape, in no particular order; ranked are those of them that are not barred, the one with the first
	// ask at place 0.
	classByKey map[string]*equivalenceClass
	classes    []*equivalenceClass
	admissible heap[*equivalenceClass]
	// blockReason is why nobody of the queue is admitted, as those were told who wait; stale are the lines in which that is not all there is to
	// tell.
	blockReason  blockReason
	staleClasses []*equivalenceClass
	// blockedHead is the first in line as of the last pass, if there was no room for it; head is the same for a StrictFIFO queue.
	blockedHead, strictHead *app
	// entries holds the lines that may still be granted something in the running pass, the one with the first ask at place 0.
	entries heap[entry]
	// borrows: its first ask needs more than the queue's own quota. See type contest for the others.
	borrows, recheckNeeded, inRecheckList bool
	// winner is the queue, this one or one below it, that goes first of all of them in the contest; nil if none competes. rivals are
	// the children that compete, seat the place among the siblings, share what the queue would have with the champion's first ask; all
	// as of the pass of that number.
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

// equivalenceClass is those in one queue who ask for the same, the first at place 0.
type equivalenceClass struct {
	key       string
	queue     *queue
	signature *signature
	// holdsFor bounds how long a grant is held; 0 is no bound.
	holdsFor time.Duration
	// unmanagedExecutor: those in it are parts of something that has been let in.
	unmanagedExecutor bool
	// index in the queue's order, rank in its ranked lines.
	index, heapIndex int
	apps             heap[*app]
	// inadmissible is why nobody in this line can be admitted until the configuration changes; Undecided if they can.
	inadmissible queueing.Verdict
	// options are the ways to place the pods, in order of preference, without those that can never have room; choice is the first that
	// had room when the line was tried last.
	options []option
	choice  int
	// blocked is the limit that was in the way when the line was tried last; kept says that there was room, and that it is kept for others.
	blocked  quota.Block
	reserved bool
	// triedAt and pressed are the tree's freed and moved as of when the line was found to have no room, and its first ask found to be able to
	// displace nobody.
	triedAt, preemptionTriedAt uint64
	preemptionTriedFor         *app
	// verdictStale: it is listed in its queue.
	verdictStale bool
	// blockReason is why the line waits as of the last pass, and told the verdict that says so.
	blockReason blockReason
	verdict     *queueing.Verdict
	// arrived are those who came since.
	arrived []*app
}

func newEquivalenceClass(key string, q *queue, a *ask) *equivalenceClass {
	class := &equivalenceClass{key: key, queue: q, signature: a.signature, holdsFor: a.holdsFor, unmanagedExecutor: a.unmanagedExecutor}
	class.apps.before = func(a, b *app) bool { return compareApps(a, b) < 0 }
	class.apps.moved = func(a *app, place int) { a.heapIndex = place }
	return class
}

// isInadmissible says that nobody in this line can be admitted until the configuration changes.
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

// entry is a line in the contest, with a copy of what orders its first ask: there may be many lines, and most will be compared
// often and granted nothing.
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

// add puts an application in line. The line has to be known to the queue if others stand in it.
func (class *equivalenceClass) add(a *app) {
	opens := len(class.apps.items) == 0
	class.apps.push(a)
	class.arrived = append(class.arrived, a)
	class.queue.markVerdictStale(class)
	switch {
	case class.isInadmissible():
	case opens:
		class.queue.admissible.push(class)
	case class.first() == a:
		class.queue.admissible.fix(class.heapIndex)
	}
}

// remove takes an application out of its line. A line in which nobody stands any more is closed.
func (class *equivalenceClass) remove(a *app) {
	if len(class.apps.items) == 1 {
		if !class.isInadmissible() {
			class.queue.admissible.remove(class.heapIndex)
		}
		class.apps.remove(a.heapIndex)
		class.queue.dropClass(class)
		return
	}
	first := class.first() == a
	class.apps.remove(a.heapIndex)
	if first && !class.isInadmissible() {
		class.queue.admissible.fix(class.heapIndex)
	}
}

// markVerdictStale notes that there may be something new to tell in a line.
func (q *queue) markVerdictStale(class *equivalenceClass) {
	if !class.verdictStale {
		class.verdictStale = true
		q.staleClasses = append(q.staleClasses, class)
	}
}

// addClass opens a line; the first one makes the queue known to its tree.
func (q *queue) addClass(class *equivalenceClass) {
	if len(q.classes) == 0 {
		at, _ := slices.BinarySearchFunc(q.tree.pendingQueues, q.name, byName)
		q.tree.pendingQueues = slices.Insert(q.tree.pendingQueues, at, q)
	}
	q.classByKey[class.key] = class
	class.index = len(q.classes)
	q.classes = append(q.classes, class)
}

func (q *queue) dropClass(class *equivalenceClass) {
	delete(q.classByKey, class.key)
	last := q.classes[len(q.classes)-1]
	q.classes[class.index], last.index = last, class.index
	q.classes[len(q.classes)-1] = nil
	q.classes = q.classes[:len(q.classes)-1]
	if len(q.classes) == 0 {
		at, _ := slices.BinarySearchFunc(q.tree.pendingQueues, q.name, byName)
		q.tree.pendingQueues = slices.Delete(q.tree.pendingQueues, at, at+1)
	}
}

func byName(q *queue, name string) int { return strings.Compare(q.name, name) }
