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

// AttemptStatus is one attempt that has ended.
type AttemptStatus struct {
	// run that the attempt belongs to.
	// +required
	Run int64 `json:"run"`
	// attempt within the run.
	// +required
	Attempt int64 `json:"attempt"`
	// outcome is Succeeded, Failed or Stopped.
	// +required
	Outcome AttemptOutcome `json:"outcome"`
	// reason in one word.
	// +optional
	Reason string `json:"reason,omitempty"`
	// cause is the class of a failure: Application, Infrastructure or Configuration.
	// +optional
	Cause FailureCause `json:"cause,omitempty"`
	// exitCode of the Spark container, when it ended by itself.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`
	// message for people, at most 1,024 bytes.
	// +optional
	Message string `json:"message,omitempty"`
	// logTail is the end of the log of Spark's container, if the attempt failed, or was stopped because Spark could create
	// no executors: at most 2,048 bytes, without what looks like a secret. Of the last three attempts only; absent if it
	// could not be had.
	// +optional
	LogTail string `json:"logTail,omitempty"`
	// startedAt is when the driver was first seen running; absent if it never ran.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// finishedAt is when the end was recorded.
	// +optional
	FinishedAt *metav1.Time `json:"finishedAt,omitempty"`
	// usage is what the attempt held and requested; absent until it has released its quota, and if it had none.
	// +optional
	Usage *AttemptUsage `json:"usage,omitempty"`
}

// FailureCause is the class of a failure; it decides whether another attempt can help.
type FailureCause string

// The classes of failures.
const (
	CauseApplication    FailureCause = "Application"
	CauseInfrastructure FailureCause = "Infrastructure"
	CauseConfiguration  FailureCause = "Configuration"
)
