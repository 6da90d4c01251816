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
	// Pending is what is asked for; nil if nothing is.
	Pending *PendingAsk
	// Holding is what is held; nil if nothing is.
	Holding *HeldGrant
}

// PendingAsk is a pending ask with its position and what blocks it.
type PendingAsk struct {
	Run, Attempt int64
	Priority     int32
	QueuedAt     time.Time
	PodSets      []queueing.PodSet
	// Position in the queue from 1, of InLine; 0 if the ask is inadmissible with the current configuration.
	Position, InLine int
	// Ahead are those directly before it, at most AheadShown, in order.
	Ahead []Head
	// ReservedFor lists the asks for which the free quota is reserved.
	ReservedFor []Head
	// Needs are what it needs at least, in the placement that it would have first.
	Needs []Need
	// Remedies are sentences for people: what has to happen so that it is admitted. They name no other application.
	Remedies []string
}

// Need is what an ask needs at least of one resource, and what there is.
type Need struct {
	Flavor, Resource string
	Need             int64
	// Available is what the queue could use now, negative above quota; Most what it could ever hold. Both may be
	// quota.Unlimited.
	Available, Most int64
	// Missing is what Available lacks.
	Missing int64
	// BlockedBy are the limits that leave too little, of the queue or of those above it, from there upward.
	BlockedBy []BlockingLimit
}

// BlockingLimit is a limit that leaves too little quota.
type BlockingLimit struct {
	Queue string
	// Used is what counts against Limit, the most that the limits of this queue alone allow.
	Used, Limit int64
	// Missing is how much must be released there, or by how much the limit must be raised.
	Missing int64
}

// HeldGrant is a grant that is charged.
type HeldGrant struct {
	Run, Attempt int64
	Priority     int32
	// PodSets are shared with the engine: do not change them.
	PodSets []queueing.PodSetGrant
	// Terminating reports that the grant is about to be released anyway.
	Terminating bool
	// Eviction is why the grant must be released; nil while it may be kept.
	Eviction *queueing.Eviction
	// Wants counts the pods that the holder wants in addition, and Why is why it does not have them.
	Wants int32
	Why   string
	// GiveBack are pods above its base gang that it has to return.
	GiveBack []queueing.GiveBack
}

// Explain returns the live view of an application that asks or holds something. It changes nothing.
func (e *Engine) Explain(key queueing.Key) (Explanation, bool) {
	a := e.registry.apps[key]
	if a == nil || a.ask == nil && a.held == nil {
		return Explanation{}, false
	}
	v := e.Verdict(key)
	out := Explanation{State: v.State, Reason: v.Reason, Message: v.Message}
	if h := a.held; h != nil {
		out.Queue = h.grant.Queue
		out.Holding = &HeldGrant{
			Run: h.grant.Run, Attempt: h.grant.Attempt, Priority: h.standing.Priority, PodSets: h.grant.PodSets,
			Terminating: h.standing.Leaving, Eviction: h.eviction(),
			Wants: max(0, h.growth.want.Count-elasticPods(h.grant)), Why: h.growth.message,
		}
		out.Holding.GiveBack = e.Room(key, h.grant.Run, h.grant.Attempt).GiveBack
	}
	if a.ask != nil {
		out.Queue = a.ask.queue
		out.Pending = e.explainer.explainAsk(a)
	}
	return out, true
}

func (ex *explainer) explainAsk(a *app) *PendingAsk {
	w := &PendingAsk{
		Run: a.ask.run, Attempt: a.ask.attempt, Priority: a.ask.priority, QueuedAt: a.ask.queuedAt, PodSets: a.ask.signature.podSets,
	}
	w.Remedies = ex.remedies(a)
	if a.class == nil {
		return w
	}
	if !a.class.isInadmissible() {
		w.Position, w.InLine, w.Ahead = a.class.queue.position(a)
		w.ReservedFor = ex.reservedFor(a)
	}
	if where := ex.preferredPlacement(a.class); where != nil {
		w.Needs = ex.needs(a.class, where)
	}
	return w
}

// preferredPlacement returns the first placement of a class that could ever fit, else the one in the queue's first
// flavors. It is nil if the queue is unusable or has no flavor for the pods.
func (ex *explainer) preferredPlacement(class *equivalenceClass) placement {
	if len(class.options) > 0 {
		return class.options[0].where
	}
	if class.queue.node == quota.None || class.signature.broken != "" || class.inadmissible.Reason == queueing.ReasonReferenceNotFound {
		return nil
	}
	if ways, bar := ex.hierarchy.placements(class.queue, class.signature); bar.State == queueing.Undecided {
		return ways[0]
	}
	return nil
}

// needs returns the minimum needs of a class in a placement.
func (ex *explainer) needs(class *equivalenceClass, where placement) []Need {
	var out []Need
	n := class.queue.node
	for _, a := range quota.Summed(class.signature.amounts(where, class.signature.minCount())) {
		need := Need{
			Flavor: a.Flavor, Resource: a.Resource, Need: a.Value,
			Available: ex.hierarchy.forest.Available(n, a.Cell), Most: ex.hierarchy.forest.Limit(n, a.Cell).Potential, BlockedBy: ex.obstacles(n, a),
		}
		for _, o := range need.BlockedBy {
			need.Missing = max(need.Missing, o.Missing)
		}
		out = append(out, need)
	}
	return out
}

// obstacles returns the limits that leave too little quota for a need.
func (ex *explainer) obstacles(n quota.NodeID, a quota.Amount) []BlockingLimit {
	v := ex.hierarchy.forest.Prepare(n, []quota.Amount{a})
	lacks := ex.hierarchy.forest.Shortfalls(n, v)
	if b, blocked := ex.hierarchy.forest.Blocked(n, v); blocked && len(lacks) == 0 { // a flavor that the tree does not have
		return []BlockingLimit{{Queue: ex.hierarchy.forest.Name(n), Missing: b.Need}}
	}
	var out []BlockingLimit
	for _, lack := range lacks {
		if lack > 0 {
			out = append(out, BlockingLimit{
				Queue: ex.hierarchy.forest.Name(n), Used: ex.hierarchy.forest.Usage(n, a.Cell), Limit: ex.hierarchy.forest.Limit(n, a.Cell).Max(), Missing: lack,
			})
		}
		n = ex.hierarchy.forest.Parent(n)
	}
	return out
}

// position counts the admissible asks up to an application and all of them, and lists the last ones before it.
func (q *queue) position(a *app) (position, inLine int, ahead []Head) {
	var last []*app
	for _, class := range q.classes {
		if class.isInadmissible() {
			continue
		}
		inLine += len(class.apps.items)
		for _, other := range class.apps.items {
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

// reservedFor returns the asks for which the quota is reserved that the ask could use: a head that has waited too
// long, or asks that preempt others.
func (ex *explainer) reservedFor(a *app) []Head {
	class := a.class
	if r := ex.reservations.reservationBlocking(class); r != nil && r.app != a {
		return []Head{headOf(r.app)}
	}
	if a.claim != nil || !slices.ContainsFunc(class.options, func(o option) bool { return ex.reservations.fitsNow(class, o.minNeed) }) {
		return nil
	}
	var out []Head
	for _, c := range ex.claims.all {
		if c.app != a && c.app.class != nil && c.app.class.queue.tree == class.queue.tree {
			out = append(out, headOf(c.app))
		}
	}
	return out
}

// QueueExplanation is the live view of a queue, for people.
type QueueExplanation struct {
	QueueState
	// StoppedBy is the queue, this one or the nearest above it, that is stopped; AtMaxRunning the one that has
	// reached its maxRunning. Empty if there is none.
	StoppedBy, AtMaxRunning string
	// Headroom is what the queue could use now, for each Usage.
	Headroom []Headroom
	// ReservedFor is the head of this queue if quota is reserved for it because it has waited too long.
	ReservedFor []Head
}

// Headroom is how much more a queue may use.
type Headroom struct {
	// Available is what it could use now, negative above quota; Most what it could ever hold. Both may be quota.Unlimited.
	Available, Most int64
}

// ExplainQueue returns the live view of a configured queue. It changes nothing.
func (e *Engine) ExplainQueue(name string) (QueueExplanation, bool) {
	state, exists := e.State(name)
	if !exists {
		return QueueExplanation{}, false
	}
	q := e.hierarchy.queues[name]
	out := QueueExplanation{QueueState: state}
	if q.stoppedBy != nil {
		out.StoppedBy = q.stoppedBy.name
	}
	if full := q.atMaxRunning(); full != nil {
		out.AtMaxRunning = full.name
	}
	for _, u := range state.Usage {
		cell := quota.Cell{Flavor: u.Flavor, Resource: u.Resource}
		out.Headroom = append(out.Headroom, Headroom{Available: e.hierarchy.forest.Available(q.node, cell), Most: e.hierarchy.forest.Limit(q.node, cell).Potential})
	}
	for _, r := range q.tree.reservations {
		if r.queue == q && r.app.class != nil {
			out.ReservedFor = append(out.ReservedFor, headOf(r.app))
		}
	}
	return out, true
}
