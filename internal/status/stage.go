// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Stage is where the current run of an application stands. It is stored as the reason of the condition Ready. The set
// is closed.
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
	// New: nothing was published yet.
	New Stage = ""

	// Queued: the gate has not admitted the attempt yet.
	Queued Stage = v1alpha1.QueuedReason
	// ReferenceNotFound: like Queued, but something that the spec names does not exist.
	ReferenceNotFound Stage = v1alpha1.ReferenceNotFoundReason
	// Preempted: the attempt had to release its quota and waits for the next one.
	Preempted Stage = v1alpha1.PreemptedReason
	// AttemptFailed: the next attempt requests quota after a pause.
	AttemptFailed Stage = v1alpha1.AttemptFailedReason

	// Submitting: the attempt holds its quota; its objects may exist.
	Submitting Stage = v1alpha1.SubmittingReason
	// Starting: the driver pod exists and does not run yet.
	Starting Stage = v1alpha1.StartingReason
	// Running: the driver runs.
	Running Stage = v1alpha1.RunningReason
	// Finalizing: the driver has ended or is being stopped; pods are ending and quota is being released.
	Finalizing Stage = v1alpha1.FinalizingReason

	// Suspended: spec.suspend holds the run; it has neither quota nor pods.
	Suspended Stage = v1alpha1.SuspendedReason

	// InvalidSpec: a value of the spec cannot work.
	InvalidSpec Stage = v1alpha1.InvalidSpecReason
	// NotYetSupported: a field of the spec is not honoured by this version.
	NotYetSupported Stage = v1alpha1.NotYetSupportedReason
	// ExceedsQuota: the queue could never hold the ask with its current quota.
	ExceedsQuota Stage = v1alpha1.ExceedsQuotaReason

	// Deactivated: the request was deactivated in its queue.
	Deactivated Stage = v1alpha1.DeactivatedReason
	// FlavorMismatch: what the gate gives cannot be used by the pods.
	FlavorMismatch Stage = v1alpha1.FlavorMismatchReason

	// Succeeded: the run has ended well.
	Succeeded Stage = v1alpha1.SucceededReason
	// Failed: an attempt failed and its kind of failure is not tried again.
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
	// GateConflict: Kueue took the driver for a job of its own.
	GateConflict Stage = v1alpha1.GateConflictReason
)

// Stages returns every stage, New first, in a fixed order.
func Stages() []Stage {
	all := make([]Stage, 0, len(table))
	for s := range table {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

// StageNames returns the stages that a status can have, in the order of Stages: all but New, which is in no status yet.
func StageNames() []string {
	var names []string
	for _, stage := range Stages() {
		if stage != New {
			names = append(names, string(stage))
		}
	}
	return names
}

// StageOf reads the stage from an application's conditions: the reason of Ready, New if there is none. known is false
// for a stage that this version does not know; such an application is left alone (Conditions only marks it).
func StageOf(conditions []metav1.Condition) (stage Stage, known bool) {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ReadyCondition)
	if ready == nil {
		return New, true
	}
	stage = Stage(ready.Reason)
	_, known = table[stage]
	return stage, known && stage != New
}

// Waiting reports whether a run is planned and wants quota, but holds neither quota nor pods.
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

// Blocked reports whether nothing happens before the spec or the queue is changed. ExceedsQuota, Deactivated and
// FlavorMismatch are both Blocked and Waiting. ReferenceNotFound is not Blocked, also after its timeout.
func (s Stage) Blocked() bool {
	switch s {
	case InvalidSpec, NotYetSupported, ExceedsQuota, Deactivated, FlavorMismatch:
		return true
	}
	return false
}

// Ended reports whether the run is over, well or not: it no longer holds anything and its outcome is recorded.
func (s Stage) Ended() bool { return s == Succeeded || s.Failed() }

// Failed reports whether the run is over and did not succeed.
func (s Stage) Failed() bool {
	switch s {
	case Failed, RetriesExceeded, DeadlineExceeded, TotalDeadlineExceeded, AdmissionTimeout, DriverStartTimeout, ExecutorStartTimeout,
		GateConflict:
		return true
	}
	return false
}
