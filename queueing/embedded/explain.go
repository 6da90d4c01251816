// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// AheadShown is how many of those before an ask an Explanation lists.
const AheadShown = 5

// Explanation is the live view of one application, for people: it moves with every decision and belongs into no status.
type Explanation struct {
	Queue string
	// State, Reason and Message are the verdict.
	State           queueing.State
	Reason, Message string
	// Waits is what is asked for; nil if nothing is.
	Waits *Wait
	// Holds is what is held; nil if nothing is.
	Holds *Hold
}

// Wait is the place of an ask in line, and what is in its way.
type Wait struct {
	Run, Attempt int64
	Priority     int32
	QueuedAt     time.Time
	PodSets      []queueing.PodSet
	// Position in the queue from 1, of InLine; 0 if the ask is not in line, because it cannot be admitted as things stand.
	Position, InLine int
	// Ahead are those directly before it, at most AheadShown, in order.
	Ahead []Head
	// KeptFor are those for whom the room is kept that there is.
	KeptFor []Head
	// Needs are what it needs at least, in the placement that it would have first.
	Needs []Need
	// Unblock are sentences for people: what has to happen so that it is admitted. They name no other application.
	Unblock []string
}

// Need is what an ask needs at least of one resource, and what there is.
type Need struct {
	Flavor, Resource string
	Need             int64
	// Available is what the queue could use now, negative above quota; Most what it could ever hold. Both may be quota.Unlimited.
	Available, Most int64
	// Missing is what Available lacks.
	Missing int64
	// InTheWay are the limits that leave too little, of the queue or of those above it, from there upward.
	InTheWay []Obstacle
}

// Obstacle is a limit that leaves too little room.
type Obstacle struct {
	Queue string
	// Used is what counts against Limit, the most that the limits of this queue alone allow.
	Used, Limit int64
	// Missing is how much has to be given back there, or the limit to be raised.
	Missing int64
}

// Hold is a grant that is charged.
type Hold struct {
	Run, Attempt int64
	Priority     int32
	// PodSets are shared with the engine: do not change them.
	PodSets []queueing.PodSetGrant
	// Leaving says that it is given back before long anyway.
	Leaving bool
	// WantedBack is why it is asked back; nil while it may be kept.
	WantedBack *queueing.Eviction
	// Wants counts the pods that it wants above those that it has, and Why says why it does not have them.
	Wants int32
	Why   string
	// GiveBack are pods above its base gang that it has to return.
	GiveBack []queueing.GiveBack
}

// Explain returns the live view of an application that asks or holds something. It changes nothing.
func (e *Engine) Explain(key queueing.Key) (Explanation, bool) {
	a := e.apps[key]
	if a == nil || a.ask == nil && a.held == nil {
		return Explanation{}, false
	}
	v := e.Verdict(key)
	out := Explanation{State: v.State, Reason: v.Reason, Message: v.Message}
	if h := a.held; h != nil {
		out.Queue = h.grant.Queue
		out.Holds = &Hold{
			Run: h.grant.Run, Attempt: h.grant.Attempt, Priority: h.standing.Priority, PodSets: h.grant.PodSets,
			Leaving: h.standing.Leaving, WantedBack: h.wantedBack(),
			Wants: max(0, h.growth.want.Count-above(h.grant)), Why: h.growth.why,
		}
		out.Holds.GiveBack = e.Room(key, h.grant.Run, h.grant.Attempt).GiveBack
	}
	if a.ask != nil {
		out.Queue = a.ask.queue
		out.Waits = e.explainAsk(a)
	}
	return out, true
}

func (e *Engine) explainAsk(a *app) *Wait {
	w := &Wait{
		Run: a.ask.run, Attempt: a.ask.attempt, Priority: a.ask.priority, QueuedAt: a.ask.queuedAt, PodSets: a.ask.shape.podSets,
	}
	w.Unblock = e.unblock(a)
	if a.line == nil {
		return w
	}
	if !a.line.barred() {
		w.Position, w.InLine, w.Ahead = a.line.queue.position(a)
		w.KeptFor = e.keptFor(a)
	}
	if where := e.wish(a.line); where != nil {
		w.Needs = e.needs(a.line, where)
	}
	return w
}

// wish is the placement that a line would have first: of those that may have room one day, else in the queue's first flavor. It is nil
// where the queue cannot be asked, or has no flavor for the pods.
func (e *Engine) wish(l *line) placement {
	if len(l.options) > 0 {
		return l.options[0].where
	}
	if l.queue.node == quota.None || l.shape.broken != "" || l.bar.Reason == queueing.ReasonReferenceNotFound {
		return nil
	}
	if ways, bar := e.placements(l.queue, l.shape); bar.State == queueing.Undecided {
		return ways[0]
	}
	return nil
}

// needs are what a line needs at least in a placement.
func (e *Engine) needs(l *line, where placement) []Need {
	var out []Need
	n := l.queue.node
	for _, a := range quota.Summed(l.shape.amounts(where, l.shape.least())) {
		need := Need{
			Flavor: a.Flavor, Resource: a.Resource, Need: a.Value,
			Available: e.forest.Available(n, a.Cell), Most: e.forest.Limit(n, a.Cell).Potential, InTheWay: e.obstacles(n, a),
		}
		for _, o := range need.InTheWay {
			need.Missing = max(need.Missing, o.Missing)
		}
		out = append(out, need)
	}
	return out
}

// obstacles are the limits that leave too little room for a need.
func (e *Engine) obstacles(n quota.NodeID, a quota.Amount) []Obstacle {
	v := e.forest.Prepare(n, []quota.Amount{a})
	lacks := e.forest.Lack(n, v)
	if b, blocked := e.forest.Blocked(n, v); blocked && len(lacks) == 0 { // a flavor that the tree does not have
		return []Obstacle{{Queue: e.forest.Name(n), Missing: b.Need}}
	}
	var out []Obstacle
	for _, lack := range lacks {
		if lack > 0 {
			out = append(out, Obstacle{
				Queue: e.forest.Name(n), Used: e.forest.Charged(n, a.Cell), Limit: e.forest.Limit(n, a.Cell).Most(), Missing: lack,
			})
		}
		n = e.forest.Parent(n)
	}
	return out
}

// position counts those in line up to an application and all in line, and lists the last of those before it.
func (q *queue) position(a *app) (position, inLine int, ahead []Head) {
	var last []*app
	for _, l := range q.order {
		if l.barred() {
			continue
		}
		inLine += len(l.apps.items)
		for _, other := range l.apps.items {
			if compareApps(other, a) > 0 {
				continue
			}
			if position++; other == a || len(last) == AheadShown && compareApps(other, last[0]) < 0 {
				continue
			}
			at, _ := slices.BinarySearchFunc(last, other, compareApps)
			last = slices.Insert(last, at, other)
			last = last[max(0, len(last)-AheadShown):]
		}
	}
	for _, other := range last {
		ahead = append(ahead, headOf(other))
	}
	return position, inLine, ahead
}

func headOf(a *app) Head { return Head{Key: a.key, Priority: a.ask.priority} }

// keptFor are those for whom the room is kept that an ask would have: one who has waited too long, or those who take it back from others.
func (e *Engine) keptFor(a *app) []Head {
	l := a.line
	if r := e.keeperOf(l); r != nil && r.app != a {
		return []Head{headOf(r.app)}
	}
	if a.claim != nil || !slices.ContainsFunc(l.options, func(o option) bool { return e.hasRoom(l, o.least) }) {
		return nil
	}
	var out []Head
	for _, c := range e.claims {
		if c.app != a && c.app.line != nil && c.app.line.queue.tree == l.queue.tree {
			out = append(out, headOf(c.app))
		}
	}
	return out
}

// QueueExplanation is the live view of a queue, for people.
type QueueExplanation struct {
	QueueState
	// HeldBy is the queue, this one or the nearest above it, that is stopped; FullBy the one that has as many applications as it may.
	// Empty if there is none.
	HeldBy, FullBy string
	// Room is what the queue could use now, for each Usage.
	Room []Room
	// KeptFor is the first in line of this queue, if room is kept for it because it has waited too long.
	KeptFor []Head
}

// Room is how much more a queue may use.
type Room struct {
	// Available is what it could use now, negative above quota; Most what it could ever hold. Both may be quota.Unlimited.
	Available, Most int64
}

// ExplainQueue returns the live view of a configured queue. It changes nothing.
func (e *Engine) ExplainQueue(name string) (QueueExplanation, bool) {
	state, exists := e.State(name)
	if !exists {
		return QueueExplanation{}, false
	}
	q := e.queues[name]
	out := QueueExplanation{QueueState: state}
	if q.heldBy != nil {
		out.HeldBy = q.heldBy.name
	}
	if full := q.full(); full != nil {
		out.FullBy = full.name
	}
	for _, u := range state.Usage {
		cell := quota.Cell{Flavor: u.Flavor, Resource: u.Resource}
		out.Room = append(out.Room, Room{Available: e.forest.Available(q.node, cell), Most: e.forest.Limit(q.node, cell).Potential})
	}
	for _, r := range q.tree.kept {
		if r.queue == q && r.app.line != nil {
			out.KeptFor = append(out.KeptFor, headOf(r.app))
		}
	}
	return out, true
}
