// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Stage is how far the current run of an application is. It is stored as the reason of the condition Ready. The set is
// closed.
type Stage string

// The stages.
//
//	                    ┌────────────────────────────── next attempt ──────────────────────────────┐
//	                    ▼                                                                          │
//	New ──► Queued / ReferenceNotFound ──► Submitting ──► Starting ──► Running ──► Finalizing ──► AttemptFailed, Preempted, Suspended
//	          │   ▲                             └──────────────┴─────────────────────▲    │
//	          ▼   │                                                                       └─────► Succeeded, Failed, …  (Ended)
//	InvalidSpec, NotYetSupported, ExceedsQuota, Deactivated, FlavorMismatch (Blocked)
const (
	// New: no status was published yet.
	New Stage = ""

	// Queued: the gate has not admitted the attempt yet.
	Queued Stage = v1alpha1.QueuedReason
	// ReferenceNotFound: like Queued, but an object that the spec references does not exist.
	ReferenceNotFound Stage = v1alpha1.ReferenceNotFoundReason
	// Preempted: the last attempt had to release its quota, and the next one waits for quota.
	Preempted Stage = v1alpha1.PreemptedReason
	// AttemptFailed: the next attempt requests quota after a pause.
	AttemptFailed Stage = v1alpha1.AttemptFailedReason

	// Submitting: the attempt holds its quota, and its objects are being created.
	Submitting Stage = v1alpha1.SubmittingReason
	// Starting: the driver pod exists but does not run yet.
	Starting Stage = v1alpha1.StartingReason
	// Running: the driver runs.
	Running Stage = v1alpha1.RunningReason
	// Finalizing: the driver has ended or is being stopped. Its pods end, then the quota is released.
	Finalizing Stage = v1alpha1.FinalizingReason

	// Suspended: spec.suspend holds the run, which has neither quota nor pods.
	Suspended Stage = v1alpha1.SuspendedReason
	// Idle: like Suspended, but timeouts.idle has stopped a server. A changed spec or a requested run starts it again.
	Idle Stage = v1alpha1.IdleReason

	// InvalidSpec: a value of the spec cannot work.
	InvalidSpec Stage = v1alpha1.InvalidSpecReason
	// NotYetSupported: this version does not honour a field of the spec.
	NotYetSupported Stage = v1alpha1.NotYetSupportedReason
	// ExceedsQuota: the queue could never hold the ask with its current quota.
	ExceedsQuota Stage = v1alpha1.ExceedsQuotaReason

	// Deactivated: the request was deactivated in its queue.
	Deactivated Stage = v1alpha1.DeactivatedReason
	// FlavorMismatch: the pods cannot use the flavor that the gate assigned.
	FlavorMismatch Stage = v1alpha1.FlavorMismatchReason

	// Succeeded: the run has succeeded.
	Succeeded Stage = v1alpha1.SucceededReason
	// Failed: an attempt failed, and the restart policy does not try again after such a failure.
	Failed Stage = v1alpha1.FailedReason
	// RetriesExceeded: the last allowed attempt failed.
	RetriesExceeded Stage = v1alpha1.RetriesExceededReason
	// DeadlineExceeded: timeouts.run ended the run.
	DeadlineExceeded Stage = v1alpha1.DeadlineExceededReason
	// TotalDeadlineExceeded: timeouts.total ended the run.
	TotalDeadlineExceeded Stage = v1alpha1.TotalDeadlineExceededReason
	// AdmissionTimeout: timeouts.admission ended the run.
	AdmissionTimeout Stage = v1alpha1.AdmissionTimeoutReason
	// DriverStartTimeout: timeouts.driverStart ended the run.
	DriverStartTimeout Stage = v1alpha1.DriverStartTimeoutReason
	// ExecutorStartTimeout: timeouts.executorStart ended the run.
	ExecutorStartTimeout Stage = v1alpha1.ExecutorStartTimeoutReason
	// GateConflict: Kueue's pod integration took the driver for a job of its own.
	GateConflict Stage = v1alpha1.GateConflictReason
)

// Stages returns all stages in alphabetical order, New first.
func Stages() []Stage {
	all := make([]Stage, 0, len(table))
	for s := range table {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// StageNames returns the names of the stages that a status can have, in the order of Stages: all but New.
func StageNames() []string {
	var names []string
	for _, stage := range Stages() {
		if stage != New {
			names = append(names, string(stage))
		}
	}
	return names
}

// StageOf returns the stage from an application's conditions, which is the reason of Ready; New if there is none. known
// is false for a stage that this version does not know. Such an application must be left alone; Conditions only marks
// it.
func StageOf(conditions []metav1.Condition) (stage Stage, known bool) {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ReadyCondition)
	if ready == nil {
		return New, true
	}
	stage = Stage(ready.Reason)
	_, known = table[stage]
	return stage, known && stage != New
}

// Waiting reports whether the next attempt is planned, but holds neither quota nor pods.
func (s Stage) Waiting() bool {
	switch s {
	case Queued, ReferenceNotFound, Preempted, AttemptFailed, ExceedsQuota, Deactivated, FlavorMismatch:
		return true
	}
	return false
}

// Active reports whether the attempt holds quota and may have a driver and other pods.
func (s Stage) Active() bool {
	switch s {
	case Submitting, Starting, Running, Finalizing:
		return true
	}
	return false
}

// Blocked reports whether the application waits for a change of its spec or its queue. ExceedsQuota, Deactivated and
// FlavorMismatch are both Blocked and Waiting. ReferenceNotFound is not Blocked, not even after its timeout.
func (s Stage) Blocked() bool {
	switch s {
	case InvalidSpec, NotYetSupported, ExceedsQuota, Deactivated, FlavorMismatch:
		return true
	}
	return false
}

// Ended reports whether the run has ended, successfully or not: it holds nothing any longer, and its outcome is
// recorded.
func (s Stage) Ended() bool { return s == Succeeded || s.Failed() }

// Failed reports whether the run has ended without success.
func (s Stage) Failed() bool {
	switch s {
	case Failed, RetriesExceeded, DeadlineExceeded, TotalDeadlineExceeded, AdmissionTimeout, DriverStartTimeout, ExecutorStartTimeout,
		GateConflict:
		return true
	}
	return false
}
