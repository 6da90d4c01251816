// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// HeadsShown is how many of those in line a QueueState lists.
const HeadsShown = 20

// QueueState is what a queue holds at the moment, for its status.
type QueueState struct {
	Name   string
	Parent string
	// Root of the tree that the queue is in.
	Root string
	// Leaf queues take applications.
	Leaf bool
	// Problem is empty, ParentNotFound or Cycle: with a problem nothing is admitted. Message explains it.
	Problem string
	Message string
	// MissingFlavors are those that the queue names and that do not exist, in its order.
	MissingFlavors []string
	// Pending and Admitted count the applications of this queue and of those below it.
	Pending, Admitted int32
	// Usage by flavor and resource, of this queue and those below it, in the order of the names.
	Usage []Usage
	// Heads are the first in line of this queue (not of those below it), without those that cannot be admitted as things stand.
	Heads []Head
}

// Usage is the use of one resource in one flavor.
type Usage struct {
	Flavor, Resource string
	// Used and Borrowed (used above Nominal), in the unit of the resource.
	Used, Borrowed int64
	// Nominal is quota.Unlimited where there is no limit.
	Nominal int64
}

// Head is one application in line.
type Head struct {
	Key      queueing.Key
	Priority int32
}

// States returns the state of all configured queues in the order of their names.
func (e *Engine) States() []QueueState {
	var out []QueueState
	for n := range quota.NodeID(e.forest.Nodes()) {
		if s, exists := e.State(e.forest.Name(n)); exists {
			out = append(out, s)
		}
	}
	return out
}

// State returns the state of a configured queue.
func (e *Engine) State(queue string) (QueueState, bool) {
	q := e.queues[queue]
	if q == nil || q.config == nil {
		return QueueState{}, false
	}
	problem, culprit := e.forest.Problem(q.node)
	s := QueueState{
		Name: q.name, Parent: q.config.Parent, Root: q.top().name, Leaf: len(e.forest.Children(q.node)) == 0,
		Problem: string(problem), Pending: q.pending, Admitted: q.admitted, Heads: q.heads(HeadsShown),
	}
	for _, f := range q.config.Flavors {
		if e.flavors[f.Name] == nil {
			s.MissingFlavors = append(s.MissingFlavors, f.Name)
		}
	}
	if problem != quota.NoProblem {
		s.Message = e.problemText(q.node, problem, culprit)
	}
	for _, u := range e.forest.Uses(q.node) {
		s.Usage = append(s.Usage, Usage{Flavor: u.Flavor, Resource: u.Resource, Used: u.Used, Nominal: u.Nominal, Borrowed: u.Borrowed()})
	}
	return s, true
}

// place is a place in the heap of a line.
type place struct {
	line *line
	at   int
}

func (p place) app() *app { return p.line.apps.items[p.at] }

// heads returns the first in line. It looks at no more than them and those behind them in the heaps.
func (q *queue) heads(most int) []Head {
	next := heap[place]{
		before: func(a, b place) bool { return compareApps(a.app(), b.app()) < 0 },
		moved:  func(place, int) {},
	}
	for _, l := range q.order {
		if !l.barred() {
			next.push(place{l, 0})
		}
	}
	var out []Head
	for len(next.items) > 0 && len(out) < most {
		p := next.items[0]
		next.remove(0)
		out = append(out, Head{Key: p.app().key, Priority: p.app().ask.priority})
		for child := 2*p.at + 1; child <= 2*p.at+2 && child < len(p.line.apps.items); child++ {
			next.push(place{p.line, child})
		}
	}
	return out
}

// Explanation is the live view of one waiting ask, for people: it moves with every decision and belongs into no status.
type Explanation struct {
	Queue string
	// Position in the queue from 1; 0 if the ask is not in line.
	Position int
	Needs    []Need
}

// Need is what an ask needs at least of one resource, and what there is.
type Need struct {
	Flavor, Resource string
	Need             int64
	// Available is what the queue could use now, negative above quota; Most what it could ever hold. Both may be quota.Unlimited.
	Available, Most int64
}

// Explain returns the live view of a waiting ask.
func (e *Engine) Explain(key queueing.Key) (Explanation, bool) {
	a := e.apps[key]
	if a == nil || a.ask == nil {
		return Explanation{}, false
	}
	out := Explanation{Queue: a.ask.queue}
	q := e.queues[a.ask.queue]
	if a.line == nil || q.node == quota.None {
		return out, true
	}
	if !a.line.barred() {
		out.Position = q.position(a)
	}
	for _, n := range quota.Summed(a.ask.shape.amounts(e.wish(a), a.ask.shape.least())) {
		out.Needs = append(out.Needs, Need{
			Flavor: n.Flavor, Resource: n.Resource, Need: n.Value,
			Available: e.forest.Available(q.node, n.Cell), Most: e.forest.Limit(q.node, n.Cell).Potential,
		})
	}
	return out, true
}

// wish is the placement that an ask would have first: of those that may have room one day, else in the queue's first flavor.
func (e *Engine) wish(a *app) placement {
	if len(a.line.options) > 0 {
		return a.line.options[0].where
	}
	first := e.flavors[DefaultFlavor]
	if f := e.flavors[a.line.queue.flavors[0]]; f != nil {
		first = f
	}
	return slices.Repeat(placement{first}, len(a.ask.shape.podSets))
}

// position counts those in line up to an application.
func (q *queue) position(a *app) int {
	position := 0
	for _, l := range q.order {
		if l.barred() {
			continue
		}
		for _, other := range l.apps.items {
			if compareApps(other, a) <= 0 {
				position++
			}
		}
	}
	return position
}
