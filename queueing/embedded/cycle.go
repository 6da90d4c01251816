// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Decision is one grant, or the growth of one.
type Decision struct {
	Key queueing.Key
	// Grown is by how many pods a grant has grown that was held before; 0 for a new one.
	Grown int32
	// Before is the grant that has grown; nil for a new one.
	Before *queueing.Grant
	// Root of the tree that is charged: its ledger has to record the grant before the application hears of it.
	Root string
	// Grant is to be recorded. Its pod sets are shared with the engine: do not change them.
	Grant queueing.Grant
}

// Dirty reports whether something has happened since the last complete Cycle that another one has to look at.
func (e *Engine) Dirty() bool {
	return slices.ContainsFunc(e.trees, func(t *tree) bool { return t.dirty })
}

// Cycle grants in order until nothing more fits, or until it has made max grants (no bound for max ≤ 0); what it grants is charged
// at once. After fewer than max grants every ask has been looked at. Decisions of one tree stand together, and trees take
// turns in being first.
//
// Within a tree:
//  1. each queue that admits is represented by its first ask that fits (a StrictFIFO queue by its first, if that fits);
//  2. of these one that stays within its queue's own quota goes first, then by priority, age and UID;
//  3. it is granted, and so on, until no queue has an ask that fits;
//  4. room is claimed for those who wait and may displace others;
//  5. what is left goes to holders who want more than their base gangs (method grow);
//  6. then everybody who waits is told why.
//
// Room that is kept for one who has waited too long (type reservation) counts as none for those whom it is kept from.
//
// Room only shrinks while grants are made, so what does not fit once leaves the contest, with all that need the same in that queue.
func (e *Engine) Cycle(max int) []Decision {
	var out []Decision
	begin, found := slices.BinarySearchFunc(e.trees, e.served, func(t *tree, root string) int { return strings.Compare(t.root, root) })
	if found {
		begin++
	}
	for i := range e.trees {
		t := e.trees[(begin+i)%len(e.trees)]
		if !t.dirty {
			continue
		}
		if max > 0 && len(out) >= max {
			break
		}
		e.served = t.root
		out = e.serve(t, out, max)
	}
	return out
}

// serve appends the grants of one tree. A tree that is cut short by max stays dirty.
func (e *Engine) serve(t *tree, out []Decision, max int) []Decision {
	out, uncharge := e.redeem(t, out, max)
	defer uncharge()
	for again := true; again; again = t.fulfilled() {
		e.keep(t)
		c := newContest(e, t)
		for q := c.first(); q != nil; q = c.first() {
			if max > 0 && len(out) >= max {
				return out
			}
			a := e.grantFirst(q)
			c.update(q)
			if a != nil {
				out = append(out, Decision{Key: a.key, Root: t.root, Grant: a.held.grant})
				c.recheck()
			}
		}
	}
	t.dirty = false
	defer e.chargeAll(e.preempt(t))()
	out = e.grow(t, out, max)
	for _, q := range t.waiting {
		e.tellQueue(q)
	}
	e.tellClaimants(t)
	return out
}

// grantFirst grants the first ask of a queue if it fits, else takes its line out of the contest and returns nil.
func (e *Engine) grantFirst(q *queue) *app {
	l := q.contest.items[0].line
	where, elastic, fits := e.fit(l)
	if !fits {
		q.drop()
		return nil
	}
	a := l.first()
	e.assume(a, where, elastic)
	switch {
	case q.strict():
		q.contest.clear()
		q.enterFirst()
	case len(l.apps.items) == 0:
		q.contest.remove(0)
	default:
		q.contest.items[0] = l.entrant()
		q.contest.fix(0)
	}
	return a
}

// choose finds the first option in which the asks of a line have room now, with the fewest pods. If there is none the line remembers
// which limit is in the way, and keeps to that one for as long as it is, or as no other one is.
func (e *Engine) choose(l *line) bool {
	n := l.queue.node
	l.kept = false
	var first quota.Block
	still := false
	for i := range l.options {
		b, blocked := e.forest.Blocked(n, l.options[i].least)
		if !blocked {
			if !e.keptFrom(l, l.options[i].least) {
				l.choice, l.kept = i, false
				return true
			}
			l.kept = true
			continue
		}
		if i == 0 {
			first = b
		}
		still = still || e.forest.StillBlocked(n, l.options[i].least, l.blocked)
	}
	if !still && !l.kept {
		l.blocked = first
	}
	l.tried = l.queue.tree.freed
	l.queue.markStale(l)
	return false
}

// fit returns the placement and the count of the elastic pod set with which the asks of a line fit now: the largest count that does,
// and for it the first option.
func (e *Engine) fit(l *line) (placement, int32, bool) {
	if !e.choose(l) {
		return nil, 0, false
	}
	for _, o := range l.options[l.choice:] {
		if e.hasRoom(l, o.most) {
			return o.where, l.shape.most(), true
		}
	}
	where, good, bad := l.options[l.choice].where, l.shape.least(), l.shape.most()
	for bad-good > 1 {
		middle := good + (bad-good)/2
		if found := e.placeFor(l, middle); found != nil {
			where, good = found, middle
		} else {
			bad = middle
		}
	}
	return where, good, true
}

// placeFor returns the first option in which that many pods of the elastic set have room; nil if there is none.
func (e *Engine) placeFor(l *line, elastic int32) placement {
	for _, o := range l.options {
		if e.hasRoom(l, e.forest.Prepare(l.queue.node, l.shape.amounts(o.where, elastic))) {
			return o.where
		}
	}
	return nil
}

// assume turns a waiting ask into a grant and charges it.
func (e *Engine) assume(a *app, where placement, elastic int32) {
	l, q := a.line, a.line.queue
	origin, holdsFor := a.ask, e.boundOf(a, where, elastic)
	e.leave(a)
	a.ask, a.told = nil, nil
	e.changed[a.key] = true
	e.grants++
	standing := queueing.Standing{Priority: origin.priority, QueuedAt: origin.queuedAt, Until: e.until(origin)}
	e.charge(a, &holding{origin: origin, standing: standing, known: true, serial: e.grants, grant: queueing.Grant{
		Run: origin.run, Attempt: origin.attempt, Gate: GateName, Queue: q.name, Epoch: e.epochs[q.tree.root], Gated: origin.gated,
		Inputs: origin.inputs, HoldsFor: holdsFor, PodSets: l.shape.grant(where, elastic, origin.gated),
	}})
}

// boundOf is the bound that the grant of a waiting ask has to keep to: its own, if it passes others because of it; else 0.
func (e *Engine) boundOf(a *app, where placement, elastic int32) time.Duration {
	l := a.line
	if a.ask.holdsFor == 0 || len(l.queue.tree.kept) == 0 || l.first() != a ||
		!e.backfills(l, e.forest.Prepare(l.queue.node, l.shape.amounts(where, elastic))) {
		return 0
	}
	return a.ask.holdsFor
}

// judge prepares a new line: what it needs, and whether it could ever be admitted.
func (e *Engine) judge(l *line, access access) {
	q := l.queue
	if l.shape.broken != "" {
		l.bar = broken(l.shape)
		return
	}
	if l.bar = e.barOf(q); l.barred() {
		return
	}
	switch access {
	case notSelected:
		l.bar = notAllowed(q)
		return
	case withoutLimits:
		l.bar = limitsNeeded(q)
		return
	case allowed:
	}
	ways, bar := e.placements(q, l.shape)
	if l.bar = bar; l.barred() {
		return
	}
	var tooMuch *quota.Block
	for _, where := range ways {
		o := option{
			where: where,
			least: e.forest.Prepare(q.node, l.shape.amounts(where, l.shape.least())),
			most:  e.forest.Prepare(q.node, l.shape.amounts(where, l.shape.most())),
		}
		b, exceeds := e.forest.Exceeds(q.node, o.least)
		switch {
		case !exceeds:
			l.options = append(l.options, o)
		case tooMuch == nil:
			tooMuch = &b
		}
	}
	if len(l.options) == 0 {
		l.bar = e.exceedsQuota(l, *tooMuch, len(ways) > 1)
	}
}

// barOf says why a queue takes no application, if it does not.
func (e *Engine) barOf(q *queue) queueing.Verdict {
	if q.config == nil {
		return notFound(q.name)
	}
	if problem, culprit := e.forest.Problem(q.node); problem != quota.NoProblem {
		return unusable(e.problemText(q.node, problem, culprit))
	}
	if len(e.forest.Children(q.node)) > 0 {
		return notLeaf(q.name, e.leaves(q.node))
	}
	return queueing.Verdict{}
}
