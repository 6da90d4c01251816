// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"context"
	"time"
)

// Gate decides when an attempt may start. Implementations are safe for concurrent use.
//
// An asker may rely on this:
//   - Sync is idempotent: it makes the request exist and equal to the ask, and returns its state. The same ask gives
//     the same verdict until something else changes.
//   - A granted ask stays granted (or evicting) until Release, even if the operator restarts. While a grant is held, an
//     ask for another run or attempt is answered with Evicting: release the grant first.
//   - The gate wakes the asker (through the channel or watch that it was set up with) whenever a verdict may have
//     changed.
//   - Release is idempotent, and safe for keys that the gate never saw.
//
// A gate may rely on this:
//   - The asker writes a grant into its status before it creates a pod, and then calls Persisted.
//   - Release is called only when no pod of the attempt is active.
type Gate interface {
	// Capabilities returns what the gate can do. The result never changes.
	Capabilities() Capabilities
	// Sync makes the request equal to the ask, and returns its state. Errors are transient, so the caller retries.
	Sync(ctx context.Context, ask Ask) (Verdict, error)
	// Persisted reports that the grant is now in the asker's status. For a holder of a grant that is SchedulingGated it
	// is called again in every pass. The gate then releases quota that is no longer held, but not growth that the
	// holder has not seen yet. If that fails, a later call does it.
	Persisted(ctx context.Context, key Key, grant Grant)
	// Release releases whatever the key holds or asks for. how says why, and what follows.
	Release(ctx context.Context, key Key, how Release) error
}

// KeyLister is implemented by gates that keep asks or grants.
type KeyLister interface {
	// KeysFor returns the keys of this kind, namespace and name, with any uid, that ask for or hold something.
	KeysFor(kind, namespace, name string) []Key
}

// OrphanTracker is implemented by gates that keep the grant of a deleted asker charged while its pods still run.
type OrphanTracker interface {
	// Orphaned reports that the asker of the key is gone while pods of it run. It returns the grant that the asker
	// held, or false if it held none. The grant stays charged until Release, even if the operator restarts.
	Orphaned(key Key) (Grant, bool)
}

// Evictor is implemented by gates that may reclaim a grant that is in use.
type Evictor interface {
	// Eviction returns why the grant of this run and attempt must be released, or nil if it may be kept or the key
	// holds no such grant. The asker then stops its pods gracefully and calls Release. The gate wakes the asker when
	// the answer changes. A restart of the operator may forget the answer, in which case the gate decides anew.
	Eviction(key Key, run, attempt int64) *Eviction
}

// Eviction is why a grant must be released.
type Eviction struct {
	// Reason is ReasonPreempted or ReasonQueueHeld.
	Reason string
	// Message is a sentence for users: who reclaims the quota, and by which rule.
	Message string
	// By is the asker that reclaims the quota, and ByQueue its queue; both are zero if there is none in particular.
	By      Key
	ByQueue string
}

// ReservationEnsurer is implemented by gates that represent grants by objects in another system, which other clients
// may delete.
type ReservationEnsurer interface {
	// EnsureReservation creates the object of a grant that is in use, if it is gone, because further pods could not be
	// scheduled without it. If it had to, restored is a sentence for users. granted is the ask that was granted, whose
	// Objects have no templates.
	EnsureReservation(ctx context.Context, granted Ask) (restored string, err error)
}

// HolderObserver is implemented by gates that must know the state of the holders of grants.
type HolderObserver interface {
	// UpdateHolder reports the state of the holder of a grant, which often has not changed. Keys that hold no such
	// grant are ignored.
	UpdateHolder(key Key, run, attempt int64, standing HolderState)
}

// HolderState determines whether a grant may be reclaimed, and whether that would help.
type HolderState struct {
	Priority int32     `json:"priority,omitempty"`
	QueuedAt time.Time `json:"queuedAt,omitzero"`
	// Terminating is true if the grant will be released soon anyway, because its pods are being stopped or have ended.
	Terminating bool `json:"terminating,omitempty"`
	// Stuck is true if nobody knows when the grant will be released, because pods that should end are on nodes that do
	// not answer.
	Stuck bool `json:"stuck,omitempty"`
	// ReleasedBy is the latest time at which the grant is released; zero if unknown.
	ReleasedBy time.Time `json:"releasedBy,omitzero"`
}

// ProgressObserver is implemented by gates that show the progress and the result of an attempt in another system.
type ProgressObserver interface {
	// ReportProgress reports the progress of the attempt that holds a grant, which often has not changed. Keys that
	// hold no such grant are ignored.
	ReportProgress(ctx context.Context, key Key, at Progress) error
	// Forget deletes what the gate keeps about an attempt that has ended. It is idempotent.
	Forget(ctx context.Context, key Key, run, attempt int64) error
}

// Progress is how far an attempt that holds a grant has come.
type Progress struct {
	Run, Attempt int64
	Phase        Phase
	// PriorityClass is the class that the asker names now; empty if it names none.
	PriorityClass string
}

// Phase is how far an attempt uses its grant.
type Phase int

// The phases. The set is closed.
const (
	// AttemptStarting means that the pods of the base gang were not ready at the same time yet.
	AttemptStarting Phase = iota
	// AttemptPodsReady means that they were, and that the lead pod has what it needs to work.
	AttemptPodsReady
	// AttemptPodsLost means that they were, but that the lead pod has lost all others and waits for some.
	AttemptPodsLost
)

// Release is how a grant is released, or an ask withdrawn.
type Release struct {
	// Ended is the last attempt that has ended, successfully or not; nil if none has. Its quota is released, and the
	// gate may keep its object for users to look at.
	Ended *AttemptResult
	// Reason says what happens to everything else that is held or asked for.
	Reason ReleaseReason
	// Message is a sentence for users; it may be empty.
	Message string
}

// AttemptResult is the result of an attempt.
type AttemptResult struct {
	Run, Attempt int64
	Succeeded    bool
	// Message is a sentence for users.
	Message string
}

// ReleaseReason says what happens to the grant or ask of an attempt that has not ended on its own.
type ReleaseReason int

// The reasons. The set is closed.
const (
	// Deleted means that the asker is gone or has left the gate. Nothing of it is kept, not even objects of ended
	// attempts.
	Deleted ReleaseReason = iota
	// Abandoned means that the grant or ask is no longer wanted. Nothing of it is kept.
	Abandoned
	// Requeued means that the run continues and asks again now, at its old place.
	Requeued
	// Suspended means that the run may continue and ask again later, at its old place.
	Suspended
)

// Charger is implemented by gates that can charge pods that are already running and never asked.
type Charger interface {
	// Charge charges a grant to the key, even if there is no quota for it. It does nothing if the key holds a grant.
	Charge(key Key, grant Grant)
}

// PriorityResolver is implemented by gates that have priority classes of their own, in addition to those of Kubernetes.
type PriorityResolver interface {
	// Priority returns the value of a class, and whether the gate has such a class. known is also true while the gate
	// does not know yet.
	Priority(class string) (value int32, known bool)
}

// QueueLister is implemented by gates that know the queues that askers may name.
type QueueLister interface {
	// QueuesFor returns the queues, sorted, that asks from a namespace with these labels may name. needsLimits is
	// Ask.NeedsLimits.
	QueuesFor(namespaceLabels map[string]string, needsLimits bool) []string
	// Unlimited reports whether a queue is without limits: neither it nor any other queue of its tree has a quota.
	Unlimited(queue string) bool
}
