// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// reservations owns the clock, and the quota that is reserved for heads of queues that have waited too long.
type reservations struct {
	hierarchy *hierarchy
	holders   *holders
	claims    *claims
	// now is the time of the last Advance; zero if Advance was never called.
	now time.Time
	// claimant is the asker whose claim is being admitted, which represents its class meanwhile; else nil.
	claimant *app
	// before and after are buffers for shortfalls that are compared.
	before, after []int64
}

// isReservedFromGrowth reports whether charging the need to the queue would delay a reservation.
func (rs *reservations) isReservedFromGrowth(q *queue, need quota.Vector) bool {
	return slices.ContainsFunc(q.tree.reservations, func(r *reservation) bool { return !r.isDone() && rs.delays(q, r, need) })
}

// maxReservations bounds the number of reservations in a tree at the same time; further heads get theirs later.
const maxReservations = 8

// updateReservations determines the reservations for this cycle.
func (rs *reservations) updateReservations(t *tree) {
	before := t.reservations
	t.reservations = nil
	for _, q := range t.pendingQueues {
		if a := q.blockedHead; a != nil && rs.hasWaitedTooLong(q, a) {
			r := &reservation{app: a, ask: a.ask, queue: q}
			r.need, r.guaranteed = rs.hierarchy.needWithinQuota(a.class)
			t.reservations = append(t.reservations, r)
		}
	}
	slices.SortFunc(t.reservations, func(a, b *reservation) int { return compareApps(a.app, b.app) })
	t.reservations = t.reservations[:min(len(t.reservations), maxReservations)]
	for _, r := range t.reservations {
		if !r.ask.hasReservation {
			r.ask.hasReservation, r.ask.expectedStart = true, rs.expectedStart(r, t)
		}
	}
	if len(before)+len(t.reservations) > 0 && !t.reservationsStand(before) {
		t.markDirty(true) // it is unknown what that changes, so evaluate every ask again
		t.reservationsAt = t.versions()
	}
	for _, class := range t.reservedFrom {
		class.triedAt, class.queue.settledAt = 0, attempt{} // the first ask of the class may be another one now
	}
	clear(t.reservedFrom)
	t.reservedFrom = t.reservedFrom[:0]
}

func (t *tree) versions() versions { return versions{t.holderVersion, t.firstOfCycle} }

// reservationsStand reports whether the reservations are the same as before and nothing was granted or released since,
// so that asks that did not fit still do not fit. It is false if the result depends on time.
func (t *tree) reservationsStand(before []*reservation) bool {
	return t.reservationsAt == t.versions() && slices.EqualFunc(before, t.reservations, func(a, b *reservation) bool {
		return a.app == b.app && a.ask == b.ask && b.app.class.placements == nil && b.ask.expectedStart.IsZero()
	})
}

// hasWaitedTooLong reports whether quota must be reserved for the blocked head of a queue.
func (rs *reservations) hasWaitedTooLong(q *queue, a *app) bool {
	if class := a.class; class == nil || class.queue != q || class.isInadmissible() || a.claim != nil || q.stoppedBy != nil || a.ask.headSince.IsZero() {
		return false
	}
	return !rs.now.Before(a.ask.headSince.Add(q.headTimeout()))
}

func (q *queue) headTimeout() time.Duration {
	if q.config.HeadTimeout != nil {
		return *q.config.HeadTimeout
	}
	return config.DefaultHeadTimeout
}

// expectedStart returns the latest time at which the ask will start, calculated from the known release times of
// holders; zero if unknown.
func (rs *reservations) expectedStart(r *reservation, t *tree) time.Time {
	if rs.holders.boundedHolders == 0 {
		return time.Time{}
	}
	var leaving []*app
	for _, q := range t.queuesWithHolders() {
		for _, a := range q.holders {
			if !a.held.standing.ReleasedBy.IsZero() {
				leaving = append(leaving, a)
			}
		}
	}
	slices.SortFunc(leaving, func(a, b *app) int { return a.held.standing.ReleasedBy.Compare(b.held.standing.ReleasedBy) })
	var at time.Time
	for i, a := range leaving {
		rs.holders.simulateRelease(a)
		if _, blocked := rs.hierarchy.forest.Blocked(r.queue.node, r.need); !blocked {
			at, leaving = a.held.standing.ReleasedBy, leaving[:i+1]
			break
		}
	}
	for _, a := range leaving {
		rs.holders.undoRelease(a)
	}
	return at
}

// fitsNow reports whether the need of a class fits and is not reserved for others.
func (rs *reservations) fitsNow(class *equivalenceClass, need quota.Vector) bool {
	_, blocked := rs.hierarchy.forest.Blocked(class.queue.node, need)
	return !blocked && !rs.isReservedFrom(class, need)
}

// fitsLater reports whether the need of a class fits once others have released their quota, and is not reserved for
// others. It excludes back-filling: an ask that must end in time for a reservation preempts nothing, because by the
// time the targets are gone it may be too late.
func (rs *reservations) fitsLater(class *equivalenceClass, need quota.Vector) bool {
	return rs.fitsNow(class, need) && !rs.isBackfill(class, need)
}

// isReservedFrom reports whether admitting the first ask of a class with this need would delay a reservation.
func (rs *reservations) isReservedFrom(class *equivalenceClass, need quota.Vector) bool {
	return rs.blockingReservation(class, need) != nil
}

// blockingReservation returns the first reservation that keeps the first ask of a class from being admitted with this
// need, or nil.
func (rs *reservations) blockingReservation(class *equivalenceClass, need quota.Vector) *reservation {
	return rs.firstDelayed(class, need, false)
}

// isBackfill reports whether the first ask of a class may be admitted with this need only because its grant is released
// before a reservation starts.
func (rs *reservations) isBackfill(class *equivalenceClass, need quota.Vector) bool {
	return rs.firstDelayed(class, need, true) != nil
}

// firstDelayed returns the first reservation that the first ask of a class would delay with this need, or nil. With
// inTime it considers only reservations before whose expected start the grant is released, else only the others.
func (rs *reservations) firstDelayed(class *equivalenceClass, need quota.Vector, inTime bool) *reservation {
	next := rs.asking(class)
	if next == nil {
		return nil
	}
	own := false
	for _, r := range class.queue.tree.reservations {
		own = own || r.app == next
		if r.isDone() || r.app == next || own && !r.guaranteed {
			continue // it is the reservation of this ask, or it comes after this ask
		}
		if !r.yieldsTo(next) && rs.releasesInTime(class, r) == inTime && rs.delays(class.queue, r, need) {
			return r
		}
	}
	return nil
}

// asking returns the asker that represents a class: the one whose claim is being admitted, or else the first one
// without a claim.
func (rs *reservations) asking(class *equivalenceClass) *app {
	if rs.claimant != nil && rs.claimant.class == class {
		return rs.claimant
	}
	return class.next()
}

// isDone reports whether the ask of the reservation is no longer pending.
func (r *reservation) isDone() bool { return r.app.ask != r.ask }

// reservationFulfilled reports whether a head with a reservation was admitted in this cycle, so that quota reserved for
// it may now be granted to others.
func (t *tree) reservationFulfilled() bool {
	return slices.ContainsFunc(t.reservations, (*reservation).isDone)
}

// yieldsTo reports whether an ask comes before the ask of the reservation.
func (r *reservation) yieldsTo(a *app) bool {
	if a.class.queue == r.queue {
		return compareApps(a, r.app) < 0
	}
	return a.ask.priority > r.ask.priority
}

// releasesInTime reports whether the first ask of a class, if admitted now, releases its grant before the expected
// start of the reservation.
func (rs *reservations) releasesInTime(class *equivalenceClass, r *reservation) bool {
	return class.holdsFor > 0 && !rs.now.Add(class.holdsFor).After(r.ask.expectedStart)
}

// delays reports whether the reservation would lack more quota if the queue used the need in addition. A guaranteed
// reservation is delayed by usage beyond quota in any queue, but not by what other queues use within their own quota. A
// reservation that has to borrow is delayed by anything that increases what it lacks now, except by usage within the
// quota of the other subtree below the common ancestor. A reservation that keeps only its own part of quota is not
// delayed by what fits beside that part.
func (rs *reservations) delays(q *queue, r *reservation, need quota.Vector) bool {
	return rs.lacksMore(q, r, need) && (!r.queue.keepsOwnPart() || !rs.fitsBesideOwnPart(q, r, need))
}

// keepsOwnPart reports whether reservations of the queue keep only what is left of the queue's own quota.
func (q *queue) keepsOwnPart() bool { return q.strict() && q.headTimeout() == 0 }

// fitsBesideOwnPart reports whether the need fits while the reservation's part of its queue's own quota counts as used.
func (rs *reservations) fitsBesideOwnPart(q *queue, r *reservation, need quota.Vector) bool {
	part := rs.hierarchy.forest.OwnPart(r.queue.node, r.need)
	rs.hierarchy.forest.Add(r.queue.node, part)
	defer rs.hierarchy.forest.Remove(r.queue.node, part)
	_, blocked := rs.hierarchy.forest.Blocked(q.node, need)
	return !blocked
}

// lacksMore reports whether the reservation would lack more quota if the queue used the need in addition; see delays.
func (rs *reservations) lacksMore(q *queue, r *reservation, need quota.Vector) bool {
	rs.hierarchy.forest.Add(q.node, need)
	within := !r.guaranteed && q != r.queue && !rs.hierarchy.forest.Over(q.subtreeBeside(r.queue).node, need)
	if !within {
		rs.after = rs.appendShortfalls(rs.after[:0], r)
	}
	rs.hierarchy.forest.Remove(q.node, need)
	if within {
		return false
	}
	rs.before = rs.appendShortfalls(rs.before[:0], r)
	for i, after := range rs.after {
		if after > rs.before[i] {
			return true
		}
	}
	return false
}

// appendShortfalls appends the amounts that the reservation lacks now.
func (rs *reservations) appendShortfalls(out []int64, r *reservation) []int64 {
	if r.guaranteed {
		return rs.hierarchy.forest.AppendSubtreeShortfalls(out, r.queue.node, r.need)
	}
	return rs.hierarchy.forest.AppendShortfalls(out, r.queue.node, r.need)
}

// updateHead records the blocked head of a queue after a complete cycle.
func (rs *reservations) updateHead(q *queue, stop blockReason) {
	q.strictHead = nil
	if rs.setHead(q, q.headUnlessBlocked(stop)); q.blockedHead != nil && q.strict() {
		q.strictHead = q.blockedHead
	}
}

// noteHeads records, when a cycle is cut short by its maximum of grants, the heads of queues that did not fit. As long
// as asks arrive faster than they are granted, no cycle is complete, and such a head would be overtaken forever.
func (rs *reservations) noteHeads(t *tree) {
	for _, q := range t.pendingQueues {
		if head := q.headUnlessBlocked(queueBlockReason(q)); head != nil && head.claim == nil && head.class.didNotFit() {
			rs.setHead(q, head)
		}
	}
}

// setHead sets the blocked head of a queue, and since when it is blocked. A new head that overtakes the old one
// inherits its waiting time, because the queue has been blocked all along.
func (rs *reservations) setHead(q *queue, head *app) {
	before := q.blockedHead
	if q.blockedHead = head; head == nil || !head.ask.headSince.IsZero() {
		return
	}
	q.blockedHead.ask.headSince = rs.now
	if before != nil && before.class != nil && before.class.queue == q && !before.ask.headSince.IsZero() {
		q.blockedHead.ask.headSince = before.ask.headSince
	}
}

// releaseTime returns the latest time at which a grant made now is released; zero if unknown.
func (rs *reservations) releaseTime(a *ask) time.Time {
	if a.holdsFor == 0 || rs.now.IsZero() {
		return time.Time{}
	}
	return rs.now.Add(a.holdsFor)
}

// reservationBlocking returns the reservation because of which the first ask of a class does not fit although quota is
// free, or nil.
func (rs *reservations) reservationBlocking(class *equivalenceClass) *reservation {
	for i := range class.options {
		if _, blocked := rs.hierarchy.forest.Blocked(class.queue.node, class.options[i].minNeed); !blocked {
			if r := rs.blockingReservation(class, class.options[i].minNeed); r != nil && !r.isDone() {
				return r
			}
		}
	}
	return nil
}
