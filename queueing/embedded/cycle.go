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
	begin, found := slices.BinarySearchFunc(e.trees, e.lastServedRoot, func(t *tree, root string) int { return strings.Compare(t.root, root) })
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
		e.lastServedRoot = t.root
		out = e.cycleTree(t, out, max)
	}
	return out
}

// cycleTree appends the grants of one tree. A tree that is cut short by max stays dirty.
func (e *Engine) cycleTree(t *tree, out []Decision, max int) []Decision {
	out, uncharge := e.admitClaimed(t, out, max)
	defer uncharge()
	for again := true; again; again = t.reservationFulfilled() {
		e.updateReservations(t)
		c := newTournament(e, t)
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
	defer e.chargeClaims(e.preempt(t))()
	out = e.grow(t, out, max)
	for _, q := range t.pendingQueues {
		e.updateVerdicts(q)
	}
	e.updateClaimVerdicts(t)
	return out
}

// grantFirst grants the first ask of a queue if it fits, else takes its line out of the contest and returns nil.
func (e *Engine) grantFirst(q *queue) *app {
	class := q.entries.items[0].class
	where, elastic, fits := e.fit(class)
	if !fits {
		q.dropEntry()
		return nil
	}
	a := class.first()
	e.assume(a, where, elastic)
	switch {
	case q.strict():
		q.entries.clear()
		q.enterHead()
	case len(class.apps.items) == 0:
		q.entries.remove(0)
	default:
		q.entries.items[0] = class.entry()
		q.entries.fix(0)
	}
	return a
}

// chooseOption finds the first option in which the asks of a line have room now, with the fewest pods. If there is none the line remembers
// which limit is in the way, and keeps to that one for as long as it is, or as no other one is.
func (e *Engine) chooseOption(class *equivalenceClass) bool {
	n := class.queue.node
	class.reserved = false
	var first quota.Block
	still := false
	for i := range class.options {
		b, blocked := e.forest.Blocked(n, class.options[i].minNeed)
		if !blocked {
			if !e.isReservedFrom(class, class.options[i].minNeed) {
				class.choice, class.reserved = i, false
				return true
			}
			class.reserved = true
			continue
		}
		if i == 0 {
			first = b
		}
		still = still || e.forest.StillBlocked(n, class.options[i].minNeed, class.blocked)
	}
	if !still && !class.reserved {
		class.blocked = first
	}
	class.triedAt = class.queue.tree.quotaVersion
	class.queue.markVerdictStale(class)
	return false
}

// fit returns the placement and the count of the elastic pod set with which the asks of a line fit now: the largest count that does,
// and for it the first option.
func (e *Engine) fit(class *equivalenceClass) (placement, int32, bool) {
	if !e.chooseOption(class) {
		return nil, 0, false
	}
	for _, o := range class.options[class.choice:] {
		if e.fitsNow(class, o.maxNeed) {
			return o.where, class.signature.maxCount(), true
		}
	}
	where, good, bad := class.options[class.choice].where, class.signature.minCount(), class.signature.maxCount()
	for bad-good > 1 {
		middle := good + (bad-good)/2
		if found := e.placeFor(class, middle); found != nil {
			where, good = found, middle
		} else {
			bad = middle
		}
	}
	return where, good, true
}

// placeFor returns the first option in which that many pods of the elastic set have room; nil if there is none.
func (e *Engine) placeFor(class *equivalenceClass, elastic int32) placement {
	for _, o := range class.options {
		if e.fitsNow(class, e.forest.Prepare(class.queue.node, class.signature.amounts(o.where, elastic))) {
			return o.where
		}
	}
	return nil
}

// assume turns a waiting ask into a grant and charges it.
func (e *Engine) assume(a *app, where placement, elastic int32) {
	class, q := a.class, a.class.queue
	origin, holdsFor := a.ask, e.backfillBound(a, where, elastic)
	e.dequeue(a)
	a.ask, a.verdict = nil, nil
	e.changed[a.key] = true
	e.grants++
	standing := queueing.Standing{Priority: origin.priority, QueuedAt: origin.queuedAt, Until: e.releaseTime(origin)}
	e.charge(a, &heldGrant{origin: origin, standing: standing, stateKnown: true, serial: e.grants, grant: queueing.Grant{
		Run: origin.run, Attempt: origin.attempt, Gate: GateName, Queue: q.name, Epoch: e.epochs[q.tree.root], Gated: origin.gated,
		Part: origin.unmanagedExecutor, Inputs: origin.inputs, HoldsFor: holdsFor, PodSets: class.signature.grant(where, elastic, origin.gated),
	}})
}

// backfillBound is the bound that the grant of a waiting ask has to keep to: its own, if it passes others because of it; else 0.
func (e *Engine) backfillBound(a *app, where placement, elastic int32) time.Duration {
	class := a.class
	if a.ask.holdsFor == 0 || len(class.queue.tree.reservations) == 0 || class.first() != a ||
		!e.isBackfill(class, e.forest.Prepare(class.queue.node, class.signature.amounts(where, elastic))) {
		return 0
	}
	return a.ask.holdsFor
}

// evaluate prepares a new line: what it needs, and whether it could ever be admitted.
func (e *Engine) evaluate(class *equivalenceClass, access access) {
	q := class.queue
	if class.signature.broken != "" {
		class.inadmissible = negativeAsk(class.signature)
		return
	}
	if class.inadmissible = e.queueInadmissible(q); class.isInadmissible() {
		return
	}
	switch access {
	case notSelected:
		class.inadmissible = notAllowed(q)
		return
	case withoutLimits:
		class.inadmissible = limitsNeeded(q)
		return
	case allowed:
	}
	ways, bar := e.placements(q, class.signature)
	if class.inadmissible = bar; class.isInadmissible() {
		return
	}
	var tooMuch *quota.Block
	for _, where := range ways {
		o := option{
			where:   where,
			minNeed: e.forest.Prepare(q.node, class.signature.amounts(where, class.signature.minCount())),
			maxNeed: e.forest.Prepare(q.node, class.signature.amounts(where, class.signature.maxCount())),
		}
		b, exceeds := e.forest.Exceeds(q.node, o.minNeed)
		switch {
		case !exceeds:
			class.options = append(class.options, o)
		case tooMuch == nil:
			tooMuch = &b
		}
	}
	if len(class.options) == 0 {
		class.inadmissible = e.exceedsQuota(class, *tooMuch, len(ways) > 1)
	}
}

// queueInadmissible says why a queue takes no application, if it does not.
func (e *Engine) queueInadmissible(q *queue) queueing.Verdict {
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
