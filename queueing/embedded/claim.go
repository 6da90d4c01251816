// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"fmt"
	"maps"
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// claim is room that is taken back for one ask. What the victims hold goes to nobody else: while they go, the need of the ask counts as
// used, too.
type claim struct {
	app  *app
	ask  *ask
	tree *tree
	// where the pods will be.
	where placement
	// victims that have been asked to go.
	victims []queueing.Key
}

// displacement says that an application, in one run, has displaced another.
type displacement struct {
	by, victim queueing.Key
	run        int64
}

// forgetDisplacements drops those by applications that are gone.
func (e *Engine) forgetDisplacements() {
	maps.DeleteFunc(e.displacements, func(d displacement, _ bool) bool { return e.apps[d.by] == nil })
}

// maxDisplacements is how many displacements are remembered before those are looked for that may be forgotten.
const maxDisplacements = 10_000

// triedForPreemption is how many of those who wait in one queue, each with needs of its own, are tried in one pass.
const triedForPreemption = 8

// Eviction says why the grant of that run and attempt has to be given back; nil while it may be kept. It is asked back for as long as
// it is held: nothing that happens meanwhile changes that, except for the draining of a queue that is called off.
func (e *Engine) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if a := e.apps[key]; a != nil && a.held != nil && a.held.isFor(run, attempt) {
		return a.held.wantedBack()
	}
	return nil
}

// SetStanding says what standing the holder of a grant has: after Restore, and when its priority changes. While somebody's is not known,
// nobody in the tree is displaced; and nobody needs to be for what those hold who leave anyway.
func (e *Engine) SetStanding(key queueing.Key, run, attempt int64, s queueing.Standing) {
	a := e.apps[key]
	if a == nil || a.held == nil || !a.held.isFor(run, attempt) {
		return
	}
	h := a.held
	if h.known && equalStandings(h.standing, s) {
		return
	}
	e.count(h.standing, -1)
	h.known, h.standing = true, s
	e.count(s, 1)
	h.queue.tree.stir(false)
}

// takeOut imagines that a grant is given back, and putBack that it is not.
func (e *Engine) takeOut(a *app) { e.forest.Remove(a.held.queue.node, a.held.vector) }
func (e *Engine) putBack(a *app) { e.forest.Add(a.held.queue.node, a.held.vector) }

// claimsOf are the claims of a tree, in their order. Those that do not stand any more are dropped: the ask has gone or changed, or its
// queue admits nobody.
func (e *Engine) claimsOf(t *tree) []*claim {
	var out []*claim
	for _, c := range slices.Clone(e.claims) {
		switch l := c.app.line; {
		case l == nil || c.app.ask != c.ask || l.barred() || l.queue.heldBy != nil:
			e.drop(c)
		case l.queue.tree == t:
			out = append(out, c)
		}
	}
	return out
}

// open says that a victim of a claim still holds something.
func (e *Engine) open(c *claim) bool {
	return slices.ContainsFunc(c.victims, func(key queueing.Key) bool {
		v := e.apps[key]
		if v == nil || v.held == nil {
			return false
		}
		owes := slices.ContainsFunc(v.held.growth.debts, func(d debt) bool { return d.by == c.app.key })
		return owes || v.held.evicted != nil && v.held.evicted.By == c.app.key
	})
}

func (e *Engine) drop(c *claim) {
	e.claims = slices.DeleteFunc(e.claims, func(other *claim) bool { return other == c })
	c.app.claim = nil
	for _, key := range c.victims {
		e.forgive(key, c.app.key)
	}
	c.tree.stir(true)
	if l := c.app.line; l != nil && l.told != nil {
		e.tell(c.app, l.told)
	}
}

func (e *Engine) needOf(c *claim) quota.Vector {
	l := c.app.line
	return e.forest.Prepare(l.queue.node, l.shape.amounts(c.where, l.shape.least()))
}

// redeem grants claimed room that has become free, each to the first in the line of the claim, and charges the claims of the others; the
// returned function takes that back.
func (e *Engine) redeem(t *tree, out []Decision, max int) (decisions []Decision, uncharge func()) {
	var undo []func()
	for _, c := range e.claimsOf(t) {
		l := c.app.line
		where, elastic, fits := e.fit(l)
		switch {
		case fits && l.full() == nil && (max <= 0 || len(out) < max):
			first := l.first() // somebody more urgent who needs the same may have come since
			e.drop(c)
			e.assume(first, where, elastic)
			out = append(out, Decision{Key: first.key, Root: t.root, Grant: first.held.grant})
		case fits && l.full() == nil, e.open(c):
			undo = append(undo, e.chargeAll([]*claim{c}))
		default:
			e.drop(c)
		}
	}
	return out, func() {
		for _, f := range undo {
			f()
		}
	}
}

// chargeAll charges claims; the returned function takes that back.
func (e *Engine) chargeAll(claims []*claim) (uncharge func()) {
	needs := make([]quota.Vector, len(claims))
	nodes := make([]quota.NodeID, len(claims))
	for i, c := range claims {
		nodes[i], needs[i] = c.app.line.queue.node, e.needOf(c)
		e.forest.Add(nodes[i], needs[i])
	}
	return func() {
		for i := range needs {
			e.forest.Remove(nodes[i], needs[i])
		}
	}
}

// preempt makes claims for those who wait and may displace others, after everything that fits has been granted: one for each queue, in
// the order in which they would be granted. It returns them.
func (e *Engine) preempt(t *tree) []*claim {
	if len(e.displacements) > maxDisplacements {
		e.forgetDisplacements()
	}
	waiting := e.mayPreempt(t)
	if len(waiting) == 0 || !e.allKnown(t) {
		return nil
	}
	var made []*claim
	gone := e.imagineGone(t)
	for _, l := range waiting {
		if e.claimed(l.queue) || l.full() != nil || l.pressed == t.moved && l.presser == l.first() {
			continue
		}
		o, victims := e.victims(l)
		if len(victims) == 0 {
			l.pressed, l.presser = t.moved, l.first()
			continue
		}
		c := &claim{app: l.first(), ask: l.first().ask, tree: t, where: o.where}
		for _, v := range victims {
			e.askBack(c, v)
			v.takeOut(e)
		}
		gone = append(gone, victims...)
		e.claims, c.app.claim, made = append(e.claims, c), c, append(made, c)
		e.forest.Add(l.queue.node, o.least)
		defer e.forest.Remove(l.queue.node, o.least)
	}
	for _, v := range gone {
		v.putBack(e)
	}
	return made
}

// askBack asks a victim for its room.
func (e *Engine) askBack(c *claim, v *victim) {
	why := e.eviction(c.app, v.app)
	if v.whole {
		v.app.held.evicted = why
		e.displacements[displacement{by: c.app.key, run: c.ask.run, victim: v.app.key}] = true
	} else {
		v.app.held.growth.debts = append(v.app.held.growth.debts, debt{by: c.app.key, flavor: v.flavor, count: v.count, why: *why})
	}
	e.changed[v.app.key] = true
	if !slices.Contains(c.victims, v.app.key) {
		c.victims = append(c.victims, v.app.key)
	}
}

// allKnown says that the standing of everybody who holds something is known. After a restart it is not yet: whoever seems to be the one
// to displace may not be, or somebody may be leaving already.
func (e *Engine) allKnown(t *tree) bool {
	for _, q := range t.holding() {
		if slices.ContainsFunc(q.holders, func(a *app) bool { return !a.held.known }) {
			return false
		}
	}
	return true
}

// mayPreempt are the first lines of the queues that may displace anybody, in order.
func (e *Engine) mayPreempt(t *tree) []*line {
	if len(t.waiting) == 0 {
		return nil
	}
	var out []*line
	borrowed := e.borrowed(t)
	for _, q := range t.waiting {
		if q.config == nil || q.heldBy != nil || !q.config.Preemption.active(borrowed) {
			continue
		}
		most := triedForPreemption
		if q.strict() {
			most = 1
		}
		out = append(out, q.firstLines(most)...)
	}
	slices.SortFunc(out, func(a, b *line) int { return compareApps(a.first(), b.first()) })
	return out
}

// firstLines are those with the first asks of a queue, in order.
func (q *queue) firstLines(most int) []*line {
	var out []*line
	next := heap[*line]{before: q.ranked.before, moved: func(*line, int) {}}
	if len(q.ranked.items) > 0 {
		next.push(q.ranked.items[0])
	}
	for len(next.items) > 0 && len(out) < most {
		l := next.items[0]
		next.remove(0)
		out = append(out, l)
		for behind := 2*l.rank + 1; behind <= 2*l.rank+2 && behind < len(q.ranked.items); behind++ {
			next.push(q.ranked.items[behind])
		}
	}
	return out
}

// borrowed says that somebody in a tree has borrowed something.
func (e *Engine) borrowed(t *tree) bool {
	return slices.ContainsFunc(t.queues, func(q *queue) bool { return e.forest.Borrowing(q.node) })
}

// active says that somebody might be displaced, if somebody has borrowed or if nobody has.
func (p Preemption) active(borrowed bool) bool {
	set := func(policy Policy) bool { return policy != "" && policy != PreemptNever }
	return set(p.Within) || borrowed && (set(p.Reclaim) || set(p.Borrow))
}

// imagineGone takes out of the forest what goes anyway, and returns it.
func (e *Engine) imagineGone(t *tree) []*victim {
	var gone []*victim
	for _, q := range t.holding() {
		for _, a := range q.holders {
			v := &victim{app: a, whole: true, count: 1, vector: a.held.vector}
			switch {
			case a.held.goes():
			case len(a.held.growth.debts) > 0:
				v.vector = e.owedVector(a.held)
			default:
				continue
			}
			v.takeOut(e)
			gone = append(gone, v)
		}
	}
	return gone
}

func (e *Engine) claimed(q *queue) bool {
	return slices.ContainsFunc(e.claims, func(c *claim) bool { return c.app.line != nil && c.app.line.queue == q })
}

// eviction words why an application is displaced.
func (e *Engine) eviction(by, v *app) *queueing.Eviction {
	rule := fmt.Sprintf("queue %s takes back what queue %s has borrowed", by.line.queue.name, v.held.queue.name)
	switch {
	case v.held.queue == by.line.queue && v.held.standing.Priority < by.ask.priority:
		rule = fmt.Sprintf("its priority %d is higher than %d", by.ask.priority, v.held.standing.Priority)
	case v.held.queue == by.line.queue:
		rule = fmt.Sprintf("it is older and of the same priority %d", by.ask.priority)
	}
	return &queueing.Eviction{Reason: queueing.ReasonPreempted, By: by.key, ByQueue: by.line.queue.name,
		Message: fmt.Sprintf("taken by %s: %s", by.key, rule)}
}

// tellClaimants tells those who have a claim what they wait for.
func (e *Engine) tellClaimants(t *tree) {
	for _, c := range e.claimsOf(t) {
		message := fmt.Sprintf("waits until %s has given its room back", c.victims[0])
		if more := len(c.victims) - 1; more > 0 {
			message = fmt.Sprintf("waits until %s and %d more have given their room back", c.victims[0], more)
		}
		e.tell(c.app, &queueing.Verdict{State: queueing.Waiting, Reason: queueing.ReasonWaitingForQuota, Displacing: true, Message: message})
	}
}

func equalStandings(a, b queueing.Standing) bool {
	return a.Priority == b.Priority && a.Leaving == b.Leaving && a.QueuedAt.Equal(b.QueuedAt) && a.Until.Equal(b.Until)
}
