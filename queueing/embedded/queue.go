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
	held *holding
	// claim is the room that is taken back for the waiting ask, if any.
	claim *claim
	// told is the verdict on the waiting ask as of the last Cycle that looked at it; nil is Undecided.
	told *queueing.Verdict
	// line in which the ask stands, and its place there; nil while it stands in none.
	line  *line
	place int
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
	// part: see isPart.
	part  bool
	shape *shape
	// stuck is since when the ask, or one that was first in line before it, has been first in line without room; zero if it has not.
	stuck time.Time
	// kept says that room has been kept for it, and roomAt when it would have it at the latest, as of then; zero if that is not known.
	kept   bool
	roomAt time.Time
}

// line is the key of the line in which the ask stands: one for all that need the same for as long, by whether they may use the queue.
func (a *ask) line(access access) string {
	switch {
	case access == notSelected:
		return "-" + a.shape.key
	case access == withoutLimits:
		return "!" + a.shape.key
	case a.part:
		return "*" + a.shape.key
	}
	if a.holdsFor == 0 {
		return "+" + a.shape.key
	}
	return "+" + a.holdsFor.String() + " " + a.shape.key
}

// holding is one grant that is charged.
type holding struct {
	grant queueing.Grant
	queue *queue
	// vector is what is charged, where queue has a node.
	vector quota.Vector
	// origin is the ask that was granted, to go back to; nil once the grant is confirmed.
	origin *ask
	// standing of the holder; known is false for a restored grant until SetStanding.
	standing queueing.Standing
	known    bool
	// serial grows with every grant: the newest is displaced first.
	serial uint64
	// evicted is why the room is asked back.
	evicted *queueing.Eviction
	// growth is what a gated grant has and wants above its base gang.
	growth growth
	// part: see isPart.
	part bool
	// place among those that hold something of the queue.
	place int
}

func (h *holding) isFor(run, attempt int64) bool {
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
	return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name), strings.Compare(a.UID, b.UID))
}

// tree is what is decided together: all queues below one root. Queues that do not exist are in the tree of the empty name.
type tree struct {
	root string
	// queues of the tree and, of them, those in which somebody waits, in the order of their names.
	queues, waiting []*queue
	// dirty: something has happened since the last complete pass.
	dirty bool
	// kept is the room that is kept for those who have waited too long, in the order of those, as of the running or last pass.
	kept []*reservation
	// freed grows when an ask that had no room may have some now, moved when anything about those has changed who hold something.
	freed, moved uint64
}

func newTree(root string) *tree { return &tree{root: root, dirty: true, freed: 1, moved: 1} }

// stir says that something has happened that bears on who may start, and whether those may have room now who had none.
func (t *tree) stir(room bool) {
	t.dirty = true
	t.moved++
	if room {
		t.freed++
	}
}

// queue is a name that is configured, asked for, or charged.
type queue struct {
	name string
	tree *tree
	// up is the queue that this one weighs on.
	up *queue
	// config is nil for a queue that does not exist.
	config *QueueConfig
	// node is quota.None for a queue that is in no tree.
	node quota.NodeID
	// heldBy is this queue or the nearest one above it that has been stopped, drainedBy the nearest that is to be empty.
	heldBy, drainedBy *queue
	// flavors in which the queue may place pods.
	flavors []string
	// limited: the queue, or another of its tree, has a quota.
	limited bool

	// lines of those who wait, one a shape, in no particular order; ranked are those of them that are not barred, the one with the first
	// ask at place 0.
	lines  map[string]*line
	order  []*line
	ranked heap[*line]
	// stop is why nobody of the queue is admitted, as those were told who wait; stale are the lines in which that is not all there is to
	// tell.
	stop  cause
	stale []*line
	// first is the first in line as of the last pass, if there was no room for it; head is the same for a StrictFIFO queue.
	first, head *app
	// contest holds the lines that may still be granted something in the running pass, the one with the first ask at place 0.
	contest heap[entrant]
	// borrows: its first ask needs more than the queue's own quota. See type contest for the others.
	borrows, doubtful, listed bool
	// champion is the queue, this one or one below it, that goes first of all of them in the contest; nil if none competes. rivals are
	// the children that compete, seat the place among the siblings, share what the queue would have with the champion's first ask; all
	// as of the pass of that number.
	champion *queue
	rivals   heap[*queue]
	seat     int
	share    quota.Share
	pass     uint64

	// pending and admitted count this queue and those below it; holders are those that hold something of this queue alone.
	pending, admitted int32
	holders           []*app
	// pods that belong to no application, of this queue and those below it.
	pods PodCount
}

// line is those in one queue who ask for the same, the first at place 0.
type line struct {
	key   string
	queue *queue
	shape *shape
	// holdsFor bounds how long a grant is held; 0 is no bound.
	holdsFor time.Duration
	// part: those in it are parts of something that has been let in.
	part bool
	// place in the queue's order, rank in its ranked lines.
	place, rank int
	apps        heap[*app]
	// bar is why nobody in this line can be admitted until the configuration changes; Undecided if they can.
	bar queueing.Verdict
	// options are the ways to place the pods, in order of preference, without those that can never have room; choice is the first that
	// had room when the line was tried last.
	options []option
	choice  int
	// blocked is the limit that was in the way when the line was tried last; kept says that there was room, and that it is kept for others.
	blocked quota.Block
	kept    bool
	// tried and pressed are the tree's freed and moved as of when the line was found to have no room, and its first ask found to be able to
	// displace nobody.
	tried, pressed uint64
	presser        *app
	// stale: it is listed in its queue.
	stale bool
	// cause is why the line waits as of the last pass, and told the verdict that says so.
	cause cause
	told  *queueing.Verdict
	// fresh are those who came since.
	fresh []*app
}

func newLine(key string, q *queue, a *ask) *line {
	l := &line{key: key, queue: q, shape: a.shape, holdsFor: a.holdsFor, part: a.part}
	l.apps.before = func(a, b *app) bool { return compareApps(a, b) < 0 }
	l.apps.moved = func(a *app, place int) { a.place = place }
	return l
}

// barred says that nobody in this line can be admitted until the configuration changes.
func (l *line) barred() bool { return l.bar.State != queueing.Undecided }

func (l *line) first() *app { return l.apps.items[0] }

func newQueue(name string, t *tree) *queue {
	q := &queue{name: name, tree: t, node: quota.None, lines: map[string]*line{}}
	q.contest.before = entrant.before
	q.contest.moved = func(entrant, int) {}
	q.ranked.before = func(a, b *line) bool { return compareApps(a.first(), b.first()) < 0 }
	q.ranked.moved = func(l *line, place int) { l.rank = place }
	q.rivals.before = q.prefers
	q.rivals.moved = func(child *queue, place int) { child.seat = place }
	return q
}

// entrant is a line in the contest, with a copy of what orders its first ask: there may be many lines, and most will be compared
// often and granted nothing.
type entrant struct {
	line     *line
	priority int32
	queuedAt time.Time
}

func (l *line) entrant() entrant {
	first := l.first().ask
	return entrant{line: l, priority: first.priority, queuedAt: first.queuedAt}
}

func (a entrant) before(b entrant) bool {
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	if order := a.queuedAt.Compare(b.queuedAt); order != 0 {
		return order < 0
	}
	return compareApps(a.line.first(), b.line.first()) < 0
}

// top is the uppermost queue that exists above this one.
func (q *queue) top() *queue {
	for q.up != nil && q.up.config != nil {
		q = q.up
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

// join puts an application in line. The line has to be known to the queue if others stand in it.
func (l *line) join(a *app) {
	opens := len(l.apps.items) == 0
	l.apps.push(a)
	l.fresh = append(l.fresh, a)
	l.queue.markStale(l)
	switch {
	case l.barred():
	case opens:
		l.queue.ranked.push(l)
	case l.first() == a:
		l.queue.ranked.fix(l.rank)
	}
}

// quit takes an application out of its line. A line in which nobody stands any more is closed.
func (l *line) quit(a *app) {
	if len(l.apps.items) == 1 {
		if !l.barred() {
			l.queue.ranked.remove(l.rank)
		}
		l.apps.remove(a.place)
		l.queue.dropLine(l)
		return
	}
	first := l.first() == a
	l.apps.remove(a.place)
	if first && !l.barred() {
		l.queue.ranked.fix(l.rank)
	}
}

// markStale notes that there may be something new to tell in a line.
func (q *queue) markStale(l *line) {
	if !l.stale {
		l.stale = true
		q.stale = append(q.stale, l)
	}
}

// addLine opens a line; the first one makes the queue known to its tree.
func (q *queue) addLine(l *line) {
	if len(q.order) == 0 {
		at, _ := slices.BinarySearchFunc(q.tree.waiting, q.name, byName)
		q.tree.waiting = slices.Insert(q.tree.waiting, at, q)
	}
	q.lines[l.key] = l
	l.place = len(q.order)
	q.order = append(q.order, l)
}

func (q *queue) dropLine(l *line) {
	delete(q.lines, l.key)
	last := q.order[len(q.order)-1]
	q.order[l.place], last.place = last, l.place
	q.order[len(q.order)-1] = nil
	q.order = q.order[:len(q.order)-1]
	if len(q.order) == 0 {
		at, _ := slices.BinarySearchFunc(q.tree.waiting, q.name, byName)
		q.tree.waiting = slices.Delete(q.tree.waiting, at, at+1)
	}
}

func byName(q *queue, name string) int { return strings.Compare(q.name, name) }
