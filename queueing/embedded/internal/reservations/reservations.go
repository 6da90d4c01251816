// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package reservations

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/claims"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Book owns the clock, and the quota that is reserved for heads of queues that have waited too long.
type Book struct {
	hierarchy *state.Hierarchy
	holders   *state.Holders
	claims    *claims.Book
	// Now is the time of the last Advance; zero if Advance was never called.
	Now time.Time
	// MaxPassed is how long after it became a head others may pass an ask by estimates.
	MaxPassed time.Duration
	// Ends are how long the last grants of each queue were held.
	Ends *Ends
	// Claimant is the asker whose claim is being admitted, which represents its class meanwhile; else nil.
	Claimant *state.Asker
	// before and after are buffers for shortfalls that are compared.
	before, after []int64
}

// New returns a book without reservations.
func New(hr *state.Hierarchy, hs *state.Holders, cs *claims.Book) *Book {
	return &Book{hierarchy: hr, holders: hs, claims: cs, MaxPassed: 8 * time.Hour, Ends: &Ends{map[string][]time.Duration{}, map[string]time.Duration{}}}
}

// Advance sets the time; it never goes back.
func (rs *Book) Advance(now time.Time) {
	if now.After(rs.Now) {
		rs.Now = now
	}
}

// ReserveFor treats a pending ask as the head of its queue after the headTimeout.
func (rs *Book) ReserveFor(a *state.Asker) {
	q := a.Class.Queue
	a.Ask.HeadSince, q.Asks.BlockedHead, q.Tree.Dirty = rs.Now.Add(-q.HeadTimeout()), a, true
}

// DelayedByGrowth reports whether charging the need to the queue would delay a reservation.
func (rs *Book) DelayedByGrowth(q *state.Queue, need quota.Vector) bool {
	return slices.ContainsFunc(q.Tree.Reservations, func(r *state.Reservation) bool { return !r.IsDone() && rs.delays(q, r, need) })
}

// maxReservations bounds the number of reservations in a tree at the same time; further heads get theirs later.
const maxReservations = 8

// Update determines the reservations for this cycle.
func (rs *Book) Update(t *state.Tree) {
	before := len(t.Reservations)
	t.Reservations = nil
	for _, q := range t.PendingQueues {
		if a := q.Asks.BlockedHead; a != nil && rs.hasWaitedTooLong(q, a) {
			r := &state.Reservation{Asker: a, Ask: a.Ask, Queue: q}
			r.Need, r.Guaranteed = rs.hierarchy.NeedWithinQuota(a.Class)
			t.Reservations = append(t.Reservations, r)
		}
	}
	slices.SortFunc(t.Reservations, func(a, b *state.Reservation) int { return state.CompareAskers(a.Asker, b.Asker) })
	t.Reservations = t.Reservations[:min(len(t.Reservations), maxReservations)]
	if len(t.Reservations) > 0 {
		releases := rs.Ends.releases(t, rs.Now)
		for _, r := range t.Reservations {
			if r.Ask.StartBy != nil {
				r.ExpectedStart = *r.Ask.StartBy
			} else if r.ExpectedStart = expectedStart(r, rs.hierarchy.Forest, releases, rs.estimates(r)); !rs.estimates(r) {
				r.Ask.StartBy = &r.ExpectedStart
			}
		}
	}
	if before+len(t.Reservations) > 0 {
		t.MarkDirty(true) // it is unknown what that and the time change, so evaluate every ask again
	}
	for _, class := range t.ReservedFrom {
		class.TriedAt, class.Queue.Contest.SettledAt = 0, state.Attempt{} // the first ask of the class may be another one now
	}
	clear(t.ReservedFrom)
	t.ReservedFrom = t.ReservedFrom[:0]
}

// hasWaitedTooLong reports whether quota must be reserved for the blocked head of a queue.
func (rs *Book) hasWaitedTooLong(q *state.Queue, a *state.Asker) bool {
	if class := a.Class; class == nil || class.Queue != q || class.IsInadmissible() || a.Claim != nil || q.StoppedBy != nil || a.Ask.HeadSince.IsZero() {
		return false
	}
	return !rs.Now.Before(a.Ask.HeadSince.Add(q.HeadTimeout()))
}

// FitsNow reports whether the need of a class fits and is not reserved for others.
func (rs *Book) FitsNow(class *state.Class, need quota.Vector) bool {
	_, blocked := rs.hierarchy.Forest.Blocked(class.Queue.Node, need)
	return !blocked && rs.BlockingReservation(class, need) == nil
}

// FitsLater reports whether the need of a class fits once others have released their quota, and is not reserved for
// others. It excludes back-filling: an ask that must end in time for a reservation preempts nothing, because by the
// time the targets are gone it may be too late.
func (rs *Book) FitsLater(class *state.Class, need quota.Vector) bool {
	return rs.FitsNow(class, need) && !rs.IsBackfill(class, need)
}

// BlockingReservation returns the first reservation that keeps the first ask of a class from being admitted with this
// need, or nil.
func (rs *Book) BlockingReservation(class *state.Class, need quota.Vector) *state.Reservation {
	return rs.firstDelayed(class, need, false)
}

// IsBackfill reports whether the first ask of a class may be admitted with this need only because its grant is released
// before a reservation starts.
func (rs *Book) IsBackfill(class *state.Class, need quota.Vector) bool {
	return rs.firstDelayed(class, need, true) != nil
}

// firstDelayed returns the first reservation that the first ask of a class would delay with this need, or nil. With
// inTime it considers only reservations before whose expected start the grant is released, else only the others.
func (rs *Book) firstDelayed(class *state.Class, need quota.Vector, inTime bool) *state.Reservation {
	next := rs.Asking(class)
	if next == nil {
		return nil
	}
	own := false
	for _, r := range class.Queue.Tree.Reservations {
		own = own || r.Asker == next
		if r.IsDone() || r.Asker == next || own && !r.Guaranteed {
			continue // it is the reservation of this ask, or it comes after this ask
		}
		if !r.YieldsTo(next) && rs.releasesInTime(class, r) == inTime && rs.delays(class.Queue, r, need) {
			return r
		}
	}
	return nil
}

// Asking returns the asker that represents a class: the one whose claim is being admitted, or else the first one
// without a claim.
func (rs *Book) Asking(class *state.Class) *state.Asker {
	if rs.Claimant != nil && rs.Claimant.Class == class {
		return rs.Claimant
	}
	return class.Next()
}

// releasesInTime reports whether the first ask of a class, if admitted now, releases its grant before the expected
// start of the reservation.
func (rs *Book) releasesInTime(class *state.Class, r *state.Reservation) bool {
	if class.HoldsFor > 0 {
		return !rs.Now.Add(class.HoldsFor).After(r.ExpectedStart)
	}
	return rs.estimates(r) && rs.Now.Add(rs.Ends.estimate(class.Queue.Name)).Before(r.ExpectedStart)
}

// estimates reports whether a reservation is planned with estimates, where there is no bound.
func (rs *Book) estimates(r *state.Reservation) bool {
	return !r.Queue.KeepsOwnPart() && rs.Now.Sub(r.Ask.HeadSince) <= rs.MaxPassed
}

// delays reports whether the reservation would lack more quota if the queue used the need in addition. A guaranteed
// reservation is delayed by usage beyond quota in any queue, but not by what other queues use within their own quota. A
// reservation that has to borrow is delayed by anything that increases what it lacks now, except by usage within the
// quota of the other subtree below the common ancestor. A reservation that keeps only its own part of quota is not
// delayed by what fits beside that part.
func (rs *Book) delays(q *state.Queue, r *state.Reservation, need quota.Vector) bool {
	return rs.lacksMore(q, r, need) && (!r.Queue.KeepsOwnPart() || !rs.fitsBesideOwnPart(q, r, need))
}

// fitsBesideOwnPart reports whether the need fits while the reservation's part of its queue's own quota counts as used.
func (rs *Book) fitsBesideOwnPart(q *state.Queue, r *state.Reservation, need quota.Vector) bool {
	part := rs.hierarchy.Forest.OwnPart(r.Queue.Node, r.Need)
	rs.hierarchy.Forest.Add(r.Queue.Node, part)
	defer rs.hierarchy.Forest.Remove(r.Queue.Node, part)
	_, blocked := rs.hierarchy.Forest.Blocked(q.Node, need)
	return !blocked
}

// lacksMore reports whether the reservation would lack more quota if the queue used the need in addition; see delays.
func (rs *Book) lacksMore(q *state.Queue, r *state.Reservation, need quota.Vector) bool {
	rs.hierarchy.Forest.Add(q.Node, need)
	within := !r.Guaranteed && q != r.Queue && !rs.hierarchy.Forest.Over(q.SubtreeBeside(r.Queue).Node, need)
	if !within {
		rs.after = rs.appendShortfalls(rs.after[:0], r)
	}
	rs.hierarchy.Forest.Remove(q.Node, need)
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
func (rs *Book) appendShortfalls(out []int64, r *state.Reservation) []int64 {
	if r.Guaranteed {
		return rs.hierarchy.Forest.AppendSubtreeShortfalls(out, r.Queue.Node, r.Need)
	}
	return rs.hierarchy.Forest.AppendShortfalls(out, r.Queue.Node, r.Need)
}

// UpdateHead records the blocked head of a queue after a complete cycle.
func (rs *Book) UpdateHead(q *state.Queue, stop state.BlockReason) {
	q.Asks.StrictHead = nil
	if rs.setHead(q, q.HeadUnlessBlocked(stop)); q.Asks.BlockedHead != nil && q.Strict() {
		q.Asks.StrictHead = q.Asks.BlockedHead
	}
}

// NoteHeads records, when a cycle is cut short by its maximum of grants, the heads of queues that did not fit. As long
// as asks arrive faster than they are granted, no cycle is complete, and such a head would be overtaken forever.
func (rs *Book) NoteHeads(t *state.Tree) {
	for _, q := range t.PendingQueues {
		if head := q.HeadUnlessBlocked(state.QueueBlockReason(q)); head != nil && head.Claim == nil && head.Class.DidNotFit() {
			rs.setHead(q, head)
		}
	}
}

// setHead sets the blocked head of a queue, and since when it is blocked. A new head that overtakes the old one
// inherits its waiting time, because the queue has been blocked all along.
func (rs *Book) setHead(q *state.Queue, head *state.Asker) {
	before := q.Asks.BlockedHead
	if q.Asks.BlockedHead = head; head == nil || !head.Ask.HeadSince.IsZero() {
		return
	}
	q.Asks.BlockedHead.Ask.HeadSince = rs.Now
	if before != nil && before.Class != nil && before.Class.Queue == q && !before.Ask.HeadSince.IsZero() {
		q.Asks.BlockedHead.Ask.HeadSince = before.Ask.HeadSince
	}
}

// ReleaseTime returns the latest time at which a grant made now is released; zero if unknown.
func (rs *Book) ReleaseTime(a *state.Ask) time.Time {
	if a.HoldsFor == 0 || rs.Now.IsZero() {
		return time.Time{}
	}
	return rs.Now.Add(a.HoldsFor)
}

// Blocking returns the reservation because of which the first ask of a class does not fit although quota is
// free, or nil.
func (rs *Book) Blocking(class *state.Class) *state.Reservation {
	for i := range class.Options {
		if _, blocked := rs.hierarchy.Forest.Blocked(class.Queue.Node, class.Options[i].MinNeed); !blocked {
			if r := rs.BlockingReservation(class, class.Options[i].MinNeed); r != nil && !r.IsDone() {
				return r
			}
		}
	}
	return nil
}

// Within returns how much of the free quota is reserved for asks of a queue and of those below it: for heads that have
// waited too long, and for asks that preempt others. Only quota that the asking queue could use now counts as free, so
// the amounts grow as others release quota. It changes nothing.
func (rs *Book) Within(q *state.Queue) map[quota.Cell]int64 {
	var out map[quota.Cell]int64
	add := func(at *state.Queue, need quota.Vector) {
		if out == nil {
			out = map[quota.Cell]int64{}
		}
		for _, b := range rs.hierarchy.Forest.Needs(at.Node, need) {
			free := max(0, rs.hierarchy.Forest.Account(at.Node, b.Cell).Available())
			out[b.Cell] = quota.Plus(out[b.Cell], min(b.Need, free))
		}
	}
	for _, r := range q.Tree.Reservations {
		if !r.IsDone() && q.Contains(r.Queue) {
			add(r.Queue, rs.kept(r))
		}
	}
	for _, c := range rs.claims.All {
		if class := c.Asker.Class; class != nil && c.Asker.Ask == c.Ask && !class.IsInadmissible() && q.Contains(class.Queue) {
			add(class.Queue, rs.claims.Need(c))
		}
	}
	for cell, amount := range out { // several asks may wait for the same quota
		out[cell] = min(amount, max(0, rs.hierarchy.Forest.Account(q.Node, cell).Available()))
	}
	return out
}

// kept returns the maximum amount that a reservation keeps free.
func (rs *Book) kept(r *state.Reservation) quota.Vector {
	if r.Queue.KeepsOwnPart() {
		return rs.hierarchy.Forest.OwnPart(r.Queue.Node, r.Need)
	}
	return r.Need
}
