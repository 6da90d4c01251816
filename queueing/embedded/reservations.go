// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// reservation keeps room for the first in line of a queue that has been first for longer than the queue's HeadTimeout without room for
// it: many small asks would otherwise pass a big one for ever. From then on others are admitted only if
//   - they come before it: in its own queue by the order there, in other queues by a higher priority;
//   - or they harm it not: see Engine.harms;
//   - or they give their room back before the time at which it has its room at the latest (back-fill). That is known if enough of those
//     who hold something when the reservation begins say until when (queueing.Standing.Until).
//
// So one whose need is within the quota of its queue (promised) starts, at the latest, when all have given back what they hold at the time
// when the reservation begins; those that come before it aside.
type reservation struct {
	app        *app
	ask        *ask
	queue      *queue
	need       quota.Vector
	guaranteed bool
}

// maxReservations is for how many in a tree room is kept at a time; the others follow.
const maxReservations = 8

// updateReservations finds out for whom room is kept in this pass.
func (e *Engine) updateReservations(t *tree) {
	before := len(t.reservations)
	t.reservations = nil
	for _, q := range t.pendingQueues {
		if a := q.blockedHead; a != nil && e.hasWaitedTooLong(q, a) {
			r := &reservation{app: a, ask: a.ask, queue: q}
			r.need, r.guaranteed = e.needWithinQuota(a.class)
			t.reservations = append(t.reservations, r)
		}
	}
	slices.SortFunc(t.reservations, func(a, b *reservation) int { return compareApps(a.app, b.app) })
	t.reservations = t.reservations[:min(len(t.reservations), maxReservations)]
	for _, r := range t.reservations {
		if !r.ask.hasReservation {
			r.ask.hasReservation, r.ask.expectedStart = true, e.expectedStart(r, t)
		}
	}
	if before+len(t.reservations) > 0 {
		t.markDirty(true) // it is anybody's guess what that changes
	}
}

// hasWaitedTooLong says whether room is kept for the first in line of a queue, as of the last pass.
func (e *Engine) hasWaitedTooLong(q *queue, a *app) bool {
	if class := a.class; class == nil || class.queue != q || class.isInadmissible() || a.claim != nil || q.stoppedBy != nil || a.ask.headSince.IsZero() {
		return false
	}
	return !e.now.Before(a.ask.headSince.Add(q.headTimeout()))
}

func (q *queue) headTimeout() time.Duration {
	if q.config.HeadTimeout != nil {
		return *q.config.HeadTimeout
	}
	return DefaultHeadTimeout
}

// needWithinQuota is what a line needs in the first of its options that stays within the quota of its queue, else in the first of all.
func (e *Engine) needWithinQuota(class *equivalenceClass) (need quota.Vector, within bool) {
	for i := range class.options {
		beyond := slices.ContainsFunc(e.forest.Needs(class.queue.node, class.options[i].minNeed), func(b quota.Block) bool {
			return b.Need > e.forest.Limit(class.queue.node, b.Cell).Nominal
		})
		if !beyond {
			return class.options[i].minNeed, true
		}
	}
	return class.options[0].minNeed, false
}

// expectedStart finds out when one has its room at the latest, from those who say until when they hold theirs; zero if that is not known.
func (e *Engine) expectedStart(r *reservation, t *tree) time.Time {
	if e.boundedHolders == 0 {
		return time.Time{}
	}
	var leaving []*app
	for _, q := range t.queuesWithHolders() {
		for _, a := range q.holders {
			if !a.held.standing.Until.IsZero() {
				leaving = append(leaving, a)
			}
		}
	}
	slices.SortFunc(leaving, func(a, b *app) int { return a.held.standing.Until.Compare(b.held.standing.Until) })
	var at time.Time
	for i, a := range leaving {
		e.simulateRelease(a)
		if _, blocked := e.forest.Blocked(r.queue.node, r.need); !blocked {
			at, leaving = a.held.standing.Until, leaving[:i+1]
			break
		}
	}
	for _, a := range leaving {
		e.undoRelease(a)
	}
	return at
}

// fitsNow says whether there is room for a line's first ask, and that it is kept for nobody else.
func (e *Engine) fitsNow(class *equivalenceClass, need quota.Vector) bool {
	_, blocked := e.forest.Blocked(class.queue.node, need)
	return !blocked && !e.isReservedFrom(class, need)
}

// isReservedFrom says whether room is kept for somebody who would come off worse if the first of a line were admitted with that need.
func (e *Engine) isReservedFrom(class *equivalenceClass, need quota.Vector) bool {
	return e.blockingReservation(class, need) != nil
}

// blockingReservation is the first reservation that is in the way of the first of a line with that need, or nil.
func (e *Engine) blockingReservation(class *equivalenceClass, need quota.Vector) *reservation {
	return e.firstDelayed(class, need, false)
}

// isBackfill says that the first of a line may be admitted with that need only because it gives its room back in time.
func (e *Engine) isBackfill(class *equivalenceClass, need quota.Vector) bool {
	return e.firstDelayed(class, need, true) != nil
}

// firstDelayed is the first reservation that the first of a line would harm with that need, of those before whose time it has gone, or of
// the others; nil if there is none.
func (e *Engine) firstDelayed(class *equivalenceClass, need quota.Vector, inTime bool) *reservation {
	kept := class.queue.tree.reservations
	if len(kept) == 0 || e.hasClaim(class) {
		return nil
	}
	own := false
	for _, r := range kept {
		own = own || r.app == class.first()
		if r.isDone() || r.app == class.first() || own && !r.guaranteed {
			continue // it is this one, or it comes behind this one
		}
		if !r.yieldsTo(class) && e.releasesInTime(class, r) == inTime && e.delays(class.queue, r, need) {
			return r
		}
	}
	return nil
}

// isDone says that the ask is not waiting any more.
func (r *reservation) isDone() bool { return r.app.ask != r.ask }

// reservationFulfilled says that one of those for whom room was kept has been admitted in this pass: what was kept from others may be theirs now.
func (t *tree) reservationFulfilled() bool {
	return slices.ContainsFunc(t.reservations, (*reservation).isDone)
}

// hasClaim says that room is taken back for one in a line.
func (e *Engine) hasClaim(class *equivalenceClass) bool {
	return slices.ContainsFunc(e.claims, func(c *claim) bool { return c.app.class == class })
}

// yieldsTo says that the first of a line goes before the one for whom room is kept.
func (r *reservation) yieldsTo(class *equivalenceClass) bool {
	if class.queue == r.queue {
		return compareApps(class.first(), r.app) < 0
	}
	return class.first().ask.priority > r.ask.priority
}

// releasesInTime says that the first of a line, if it is admitted now, will have gone when room is there for the other one.
func (e *Engine) releasesInTime(class *equivalenceClass, r *reservation) bool {
	return class.holdsFor > 0 && !e.now.Add(class.holdsFor).After(r.ask.expectedStart)
}

// delays says whether more would be in the way of the one for whom room is kept if a queue used that much more. To whom room is
// promised counts what is used beyond the quotas, whoever uses it: not what others use within theirs, but neither room that is free only
// because they do not. For one that has to borrow, the room counts that it lacks now; what stays within the quota of its own side, below
// the node that both queues are below, is no harm.
func (e *Engine) delays(q *queue, r *reservation, need quota.Vector) bool {
	state := e.forest.Shortfalls
	if r.guaranteed {
		state = e.forest.SubtreeShortfalls
	}
	before := state(r.queue.node, r.need)
	e.forest.Add(q.node, need)
	defer e.forest.Remove(q.node, need)
	if !r.guaranteed && q != r.queue && !e.forest.Over(q.subtreeBeside(r.queue).node, need) {
		return false
	}
	for i, after := range state(r.queue.node, r.need) {
		if after > before[i] {
			return true
		}
	}
	return false
}

// subtreeBeside is the uppermost queue from q upward that is not above another one.
func (q *queue) subtreeBeside(other *queue) *queue {
	for q.parent != nil && !q.parent.contains(other) {
		q = q.parent
	}
	return q
}

// contains says that q is a queue or above it.
func (q *queue) contains(other *queue) bool {
	for ; other != nil; other = other.parent {
		if other == q {
			return true
		}
	}
	return false
}

// updateHead notes who is first in line of a queue after a complete pass, and since when. Whoever comes to stand before the first takes
// over how long that one has waited: the queue is stuck all the same.
func (e *Engine) updateHead(q *queue, stop blockReason) {
	before := q.blockedHead
	q.blockedHead, q.strictHead = q.headUnlessBlocked(stop), nil
	if q.blockedHead == nil {
		return
	}
	if q.strict() {
		q.strictHead = q.blockedHead
	}
	if !q.blockedHead.ask.headSince.IsZero() {
		return
	}
	q.blockedHead.ask.headSince = e.now
	if before != nil && before.class != nil && before.class.queue == q && !before.ask.headSince.IsZero() {
		q.blockedHead.ask.headSince = before.ask.headSince
	}
}

// reservedMessage says that the room that there is is kept for others.
func (e *Engine) reservedMessage(class *equivalenceClass) string {
	wants := "needs quota"
	if needs := e.forest.Needs(class.queue.node, class.options[0].minNeed); len(needs) > 0 {
		wants = needsText(class, needs[0])
	}
	return wants + "; free quota is reserved for applications that have headed their queue for longer than its headTimeout"
}

// releaseTime is when a grant that is made now is given back at the latest; zero if that is not known.
func (e *Engine) releaseTime(a *ask) time.Time {
	if a.holdsFor == 0 || e.now.IsZero() {
		return time.Time{}
	}
	return e.now.Add(a.holdsFor)
}

// countBounded adds to the number of grants of which it is known until when they are held.
func (e *Engine) countBounded(s queueing.Standing, n int) {
	if !s.Until.IsZero() {
		e.boundedHolders += n
	}
}

// reservationBlocking is the reservation that is in the way of the first of a line where there would be room for it, or nil.
func (e *Engine) reservationBlocking(class *equivalenceClass) *reservation {
	for i := range class.options {
		if _, blocked := e.forest.Blocked(class.queue.node, class.options[i].minNeed); !blocked {
			if r := e.blockingReservation(class, class.options[i].minNeed); r != nil && !r.isDone() {
				return r
			}
		}
	}
	return nil
}
