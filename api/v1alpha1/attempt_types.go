// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AttemptOutcome is how an attempt ended.
type AttemptOutcome string

// The outcomes of an attempt.
const (
	OutcomeSucceeded AttemptOutcome = "Succeeded"
	OutcomeFailed    AttemptOutcome = "Failed"
	OutcomeStopped   AttemptOutcome = "Stopped"
)

// AttemptsKept is how many attempts that have ended are kept in status.attempts.
const AttemptsKept = 10

// AttemptStatus is one attempt that has ended.
type AttemptStatus struct {
	// run is the number of the run that the attempt belongs to.
	// +required
	Run int64 `json:"run"`
	// attempt is the number of the attempt within the run.
	// +required
	Attempt int64 `json:"attempt"`
	// outcome is Succeeded, Failed or Stopped.
	// +required
	Outcome AttemptOutcome `json:"outcome"`
	// reason is why the attempt ended, in one word.
	// +optional
	Reason string `json:"reason,omitempty"`
	// cause is the class of a failure: Application, Infrastructure or Configuration.
	// +optional
	Cause FailureCause `json:"cause,omitempty"`
	// exitCode is the exit code of the Spark container, if that ended by itself.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`
	// message is why the attempt ended, for users, in at most 1,024 bytes. If the driver's log shows it, that includes
	// the exception and its causes.
	// +optional
	Message string `json:"message,omitempty"`
	// startedAt is when the driver was first seen running; absent if it never ran.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// finishedAt is when the end was recorded.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// usage is what the attempt held and requested. It is absent until the attempt has released its quota, and if it
	// had none.
	// +optional
	Usage *AttemptUsage `json:"usage,omitempty"`
}

// FailureCause is the class of a failure. It determines whether another attempt can help.
type FailureCause string

// The classes of failures.
const (
	CauseApplication    FailureCause = "Application"
	CauseInfrastructure FailureCause = "Infrastructure"
	CauseConfiguration  FailureCause = "Configuration"
)
