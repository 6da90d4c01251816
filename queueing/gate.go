// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"context"
	"time"
)

// Gate decides when an attempt may start. Implementations are safe for concurrent use.
//
// What an application may rely on:
//   - Sync is idempotent: it makes the request exist and equal to the ask, and says where it stands. The same ask gives
//     the same verdict until something outside changes.
//   - a granted ask stays granted (or evicting) until Release, also over restarts of the operator. An ask for another
//     run or attempt while a grant is held is answered with Evicting: release it first.
//   - the gate wakes the application (through the channel or watch it was set up with) whenever a verdict may have
//     changed.
//   - Release is idempotent, and safe for keys that the gate never saw.
//
// What a gate may rely on:
//   - the application writes a grant into its status before it creates a pod, then calls Persisted;
//   - Release is called only when no pod of the attempt is active.
type Gate interface {
	// Capabilities returns what the gate can do. It never changes.
	Capabilities() Capabilities
	// Sync makes the request equal to the ask and says where it stands. An error is transient: the caller tries again.
	Sync(ctx context.Context, ask Ask) (Verdict, error)
	// Persisted says that the grant is now in the application's status. It is called again in every pass over the holder
	// of a grant that is SchedulingGated: quota that is no longer held is released, but not growth that the holder has not
	// seen yet. If that fails, a later call does it.
	Persisted(ctx context.Context, key Key, grant Grant)
	// Release gives back whatever the key holds or asks for. how says why, and what follows.
	Release(ctx context.Context, key Key, how Release) error
}

// KeyLister is implemented by gates that keep asks or grants.
type KeyLister interface {
	// KeysFor returns the keys of that kind, namespace and name that ask for something or hold something, whatever
	// their uid.
	KeysFor(kind Kind, namespace, name string) []Key
}

// OrphanTracker is implemented by gates that keep the grant of a deleted application charged while its pods still run.
type OrphanTracker interface {
	// Orphaned says that the application of the key is gone while pods of it run, and returns the grant that it held;
	// false if it held none. The grant stays charged until Release, also over restarts of the operator.
	Orphaned(key Key) (Grant, bool)
}

// Evictor is implemented by gates that may want a grant back while it is in use.
type Evictor interface {
	// Eviction returns why the grant of that run and attempt has to be given back; nil while it may be kept, and for
	// keys that hold no such grant. Once it has been reported, the application stops its pods gracefully and calls
	// Release. The gate wakes the application when the answer changes. The answer may be forgotten by a restart of the
	// operator: then the gate decides anew.
	Eviction(key Key, run, attempt int64) *Eviction
}

// Eviction is why a grant has to be given back.
type Eviction struct {
	// Reason is ReasonPreempted or ReasonQueueHeld.
	Reason string
	// Message is a sentence for people: who reclaims the quota, by which rule.
	Message string
	// By is the application that reclaims the quota, and ByQueue its queue; zero if it is none in particular.
	By      Key
	ByQueue string
}

// ReservationEnsurer is implemented by gates whose grants are objects in another system, which other clients may
// delete.
type ReservationEnsurer interface {
	// EnsureReservation creates the object of a grant that is in use, if it is gone: pods that are still to come could
	// not be scheduled without it. It returns a sentence for people if it had to, else nothing. The ask is what was
	// granted, its objects without templates.
	EnsureReservation(ctx context.Context, granted Ask) (restored string, err error)
}

// HolderObserver is implemented by gates that have to know the state of the holders of grants.
type HolderObserver interface {
	// UpdateHolder reports the state of the holder of a grant, which often has not changed. Keys that hold no such grant
	// are ignored.
	UpdateHolder(key Key, run, attempt int64, standing HolderState)
}

// HolderState is what decides whether a grant may be reclaimed, and whether that would help.
type HolderState struct {
	Priority int32
	QueuedAt time.Time
	// Terminating says that the grant is released before long anyway: its pods are being stopped, or have ended.
	Terminating bool
	// ReleasedBy is when the grant is released at the latest; zero if that is not known.
	ReleasedBy time.Time
}

// ProgressObserver is implemented by gates that show the progress of an attempt, and its result, in another system.
type ProgressObserver interface {
	// ReportProgress reports the progress of the attempt that holds a grant, which often has not changed. Keys that hold no
	// such grant are ignored.
	ReportProgress(ctx context.Context, key Key, at Progress) error
	// Forget deletes what the gate keeps of an attempt that has ended. It is idempotent.
	Forget(ctx context.Context, key Key, run, attempt int64) error
}

// Progress is how far an attempt that holds a grant has come.
type Progress struct {
	Run, Attempt int64
	Phase        Phase
	// PriorityClass that the application names now; empty if none.
	PriorityClass string
}

// Phase is how far an attempt uses its grant.
type Phase int

// The phases. The set is closed.
const (
	// AttemptStarting: driver and first executors are not ready together yet.
	AttemptStarting Phase = iota
	// AttemptPodsReady: they were, and the driver has what it needs to work.
	AttemptPodsReady
	// AttemptExecutorsLost: they were, but now the driver has no executors and waits for some.
	AttemptExecutorsLost
)

// Release is how a grant is given back, or an ask withdrawn.
type Release struct {
	// Ended is the last attempt that has ended, well or not: its quota is given back, and the gate may keep its object for
	// users to look at. Nil if no attempt has ended.
	Ended *AttemptResult
	// Reason says what happens to everything else that is held or asked for.
	Reason ReleaseReason
	// Message is a sentence for people; may be empty.
	Message string
}

// AttemptResult is how an attempt ended.
type AttemptResult struct {
	Run, Attempt int64
	Succeeded    bool
	// Message is a sentence for people.
	Message string
}

// ReleaseReason says what happens to what an attempt that has not ended on its own holds or asks for.
type ReleaseReason int

// The reasons. The set is closed.
const (
	// Deleted: the asker is gone, or leaves the gate: nothing of it is kept, nor of its ended attempts.
	Deleted ReleaseReason = iota
	// Abandoned: it is no longer wanted, and nothing of it is kept.
	Abandoned
	// Requeued: the run continues and asks again now, in its old place.
	Requeued
	// Suspended: the run may continue and ask again later, in its old place.
	Suspended
	// LeftToOther: another operator decides from now on. This gate forgets what it knows and leaves its objects as they are: both
	// operators use the same names, so they may stand for what the other one holds.
	LeftToOther
)

// Charger is implemented by gates that can charge what runs already without having asked.
type Charger interface {
	// Charge charges a grant to the key, whether there is quota or not. It does nothing for a key that holds a grant.
	Charge(key Key, grant Grant)
}

// PriorityResolver is implemented by gates that have priority classes of their own, besides those of Kubernetes.
type PriorityResolver interface {
	// Priority returns the value of a class, and whether the gate has such a class; true as well while it does not know yet.
	Priority(class string) (value int32, known bool)
}

// QueueLister is implemented by gates that know the queues that applications may name.
type QueueLister interface {
	// QueuesFor returns the queues that asks from a namespace with these labels may name, sorted. needsLimits is that of
	// the ask.
	QueuesFor(namespaceLabels map[string]string, needsLimits bool) []string
	// Unlimited reports whether a queue bounds nothing: neither it nor another queue of its tree has a quota.
	Unlimited(queue string) bool
}
