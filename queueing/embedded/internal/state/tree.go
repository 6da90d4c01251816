// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Tree holds all queues below one root. Decisions on them are made together. Queues that do not exist belong to the
// tree with the empty name.
type Tree struct {
	Root string
	// Queues are the queues of the tree, PendingQueues those of them with pending asks. Both are sorted by name.
	Queues, PendingQueues []*Queue
	// FairSharing is true if a queue of the tree uses fair sharing.
	FairSharing bool
	// Dirty is true if something has changed since the last complete cycle.
	Dirty bool
	// Reservations are those of the current or last cycle, in the order of their asks.
	Reservations []*Reservation
	// ReservedFrom are the classes that did not fit because of reservations.
	ReservedFrom []*Class
	// quotaVersion grows when an ask that did not fit may fit now, TargetVersion when an ask without targets may have
	// some now, and HolderVersion when anything about the holders has changed.
	quotaVersion, TargetVersion, HolderVersion uint64
	// FirstUnseen is the serial of the first grant that no caller has seen: the first one of the current call of Cycle.
	FirstUnseen uint64
	// UnknownStates counts the holders in the tree whose state is not known.
	UnknownStates int
}

// Attempt are the versions of a tree at which no ask could be admitted or could preempt.
type Attempt struct{ quotaVersion, targetVersion uint64 }

func newTree(root string) *Tree {
	return &Tree{Root: root, Dirty: true, quotaVersion: 1, TargetVersion: 1, HolderVersion: 1}
}

// MarkDirty records a change that may let an ask be admitted. quotaFreed says whether it may have freed quota.
func (t *Tree) MarkDirty(quotaFreed bool) {
	t.Dirty = true
	t.HolderVersion++
	t.TargetVersion++
	if quotaFreed {
		t.quotaVersion++
	}
}

// Attempt returns the current versions, at which asks are evaluated now.
func (t *Tree) Attempt() Attempt { return Attempt{t.quotaVersion, t.TargetVersion} }

// ReservationFulfilled reports whether a head with a reservation was admitted in this cycle, so that quota reserved for
// it may now be granted to others.
func (t *Tree) ReservationFulfilled() bool {
	return slices.ContainsFunc(t.Reservations, (*Reservation).IsDone)
}

// Reservation reserves quota for the head of a queue that has been blocked for longer than the queue's HeadTimeout;
// otherwise a stream of small asks could pass a large one forever. From then on other asks are admitted only if
//   - they come before it: in its own queue by the order there, in other queues by a higher priority;
//   - or they do not delay it: see reservations.Book.delays;
//   - or they release their grant before its expected start (back-filling). Both are known by bounds
//     (queueing.Ask.HoldsFor, queueing.HolderState.ReleasedBy) or, for a time, by estimates (reservations.Book).
//
// When estimates no longer count, a head whose need is within the quota of its queue (guaranteed) therefore starts at
// the latest when everything that is held then has been released, except for asks that come before it. A StrictFIFO
// queue whose HeadTimeout is 0 keeps only what is left of its own quota: others may also use what is free beyond that,
// and its head has no such bound.
type Reservation struct {
	Asker      *Asker
	Ask        *Ask
	Queue      *Queue
	Need       quota.Vector
	Guaranteed bool
	// ExpectedStart is when the ask will start by the estimates of this cycle; zero if unknown.
	ExpectedStart time.Time
}

// IsDone reports whether the ask of the reservation is no longer pending.
func (r *Reservation) IsDone() bool { return r.Asker.Ask != r.Ask }

// YieldsTo reports whether an ask comes before the ask of the reservation.
func (r *Reservation) YieldsTo(a *Asker) bool {
	if a.Class.Queue == r.Queue {
		return CompareAskers(a, r.Asker) < 0
	}
	return a.Ask.Priority > r.Ask.Priority
}
