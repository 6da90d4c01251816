// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// Condition types.
const (
	// ReadyCondition is always present. Its reason is the stage, its message is for users.
	ReadyCondition = "Ready"
	// ReconcilingCondition is present only while it is True: the operator is working, or will retry automatically.
	ReconcilingCondition = "Reconciling"
	// StalledCondition is present only while it is True: nothing will happen until the object or the cluster is
	// changed. It has the same reason as Ready.
	StalledCondition = "Stalled"
	// AdmittedCondition is True while the gate has admitted the current attempt.
	AdmittedCondition = "Admitted"
	// RunningCondition is True while the driver's container runs.
	RunningCondition = "Running"
	// FinishedCondition is True after any end: no pod of the run is active, and the outcome is recorded.
	FinishedCondition = "Finished"
	// TemplateIgnoredCondition is present only while it is True: the run template differs from the one that ran, and
	// onTemplateChange is Ignore.
	TemplateIgnoredCondition = "TemplateIgnored"
	// NodeLostCondition is present only while it is True: pods cannot be ended because their node does not answer.
	NodeLostCondition = "NodeLost"
	// UnknownStageCondition is present only while it is True: the object is in a stage that this version of the
	// operator does not know.
	UnknownStageCondition = "UnknownStage"
)

// Reasons of Ready while a run is under way. Each of them is a stage of the run.
const (
	// QueuedReason: the gate has not admitted the attempt yet.
	QueuedReason = "Queued"
	// SubmittingReason: the attempt holds its quota, and its objects are being created.
	SubmittingReason = "Submitting"
	// StartingReason: the driver pod exists but does not run yet.
	StartingReason = "Starting"
	// RunningReason: the driver runs.
	RunningReason = "Running"
	// FinalizingReason: the driver has ended or is being stopped. Its pods end, then the quota is released.
	FinalizingReason = "Finalizing"
	// PreemptedReason: the attempt was preempted, and the run waits again.
	PreemptedReason = "Preempted"
	// InputsChangedReason is the reason of an event: an input of the driver changed after the grant, which is released.
	InputsChangedReason = "InputsChanged"
	// AttemptFailedReason: an attempt failed; the next one will start after a pause.
	AttemptFailedReason = "AttemptFailed"
	// SuspendedReason: spec.suspend is true.
	SuspendedReason = "Suspended"
	// IdleReason: timeouts.idle has stopped a server that ran no job.
	IdleReason = "Idle"
	// ReferenceNotFoundReason: an object that the spec references does not exist yet.
	ReferenceNotFoundReason = "ReferenceNotFound"
)

// Reasons of Ready at the end of a run.
const (
	// SucceededReason: the driver ended with exit code 0.
	SucceededReason = "Succeeded"
	// FailedReason: the run failed, and no other attempt follows.
	FailedReason = "Failed"
	// RetriesExceededReason: all attempts of the run have failed.
	RetriesExceededReason = "RetriesExceeded"
	// DriverStartTimeoutReason: the driver did not run within timeouts.driverStart.
	DriverStartTimeoutReason = "DriverStartTimeout"
	// ExecutorStartTimeoutReason: the first executors were not ready within timeouts.executorStart.
	ExecutorStartTimeoutReason = "ExecutorStartTimeout"
	// AdmissionTimeoutReason: the gate did not admit the attempt within timeouts.admission.
	AdmissionTimeoutReason = "AdmissionTimeout"
	// DeadlineExceededReason: the attempt ran longer than timeouts.run.
	DeadlineExceededReason = "DeadlineExceeded"
	// TotalDeadlineExceededReason: the run took longer than timeouts.total.
	TotalDeadlineExceededReason = "TotalDeadlineExceeded"
	// GateConflictReason: Kueue's pod integration manages the driver as a job of its own. The message names the setting
	// to change.
	GateConflictReason = "GateConflict"
)

// Reasons of Ready when a run cannot begin until the object or the cluster is changed.
const (
	// InvalidSpecReason: a field has a value that cannot work. The message names field, value and remedy.
	InvalidSpecReason = "InvalidSpec"
	// NotYetSupportedReason: a field is part of the API, but this version does not honour it. The message names field
	// and remedy.
	NotYetSupportedReason = "NotYetSupported"
	// ExceedsQuotaReason: the request exceeds what the queue could ever hold. It ends when the queue's quota is raised.
	ExceedsQuotaReason = "ExceedsQuota"
	// DeactivatedReason: the ask was deactivated in the system behind the gate. It ends when the application is
	// suspended and resumed, or run again.
	DeactivatedReason = "Deactivated"
)

// Reasons of Admitted.
const (
	// AdmittedReason: the gate has admitted the attempt.
	AdmittedReason = "Admitted"
	// DelegatedToSchedulerReason: the gate leaves admission to the scheduler, or admits everything.
	DelegatedToSchedulerReason = "DelegatedToScheduler"
	// WaitingForQuotaReason: the queue does not have enough free quota.
	WaitingForQuotaReason = "WaitingForQuota"
	// QueueHeldReason: the queue, or one of its ancestors, is held.
	QueueHeldReason = "QueueHeld"
	// NamespaceNotAllowedReason: the queue's namespaceSelector does not select the namespace.
	NamespaceNotAllowedReason = "NamespaceNotAllowed"
	// MaxRunningReason: the queue already runs as many applications as its maxRunning allows.
	MaxRunningReason = "MaxRunning"
	// FlavorMismatchReason: no flavor of the queue fits the pods. It is also a reason of Ready, if the flavor that
	// Kueue assigned conflicts with the node selector of the pods.
	FlavorMismatchReason = "FlavorMismatch"
	// GateNotInstalledReason: the system behind the gate is not installed.
	GateNotInstalledReason = "GateNotInstalled"
	// WaitingForGateReason: the system behind the gate has not decided.
	WaitingForGateReason = "WaitingForGate"
)

// Reasons of Reconciling, and of a ready SparkQueue.
const (
	// ProgressingReason: the next step is under way.
	ProgressingReason = "Progressing"
	// ProgressingWithRetryReason: something is missing or failed; the operator retries.
	ProgressingWithRetryReason = "ProgressingWithRetry"
	// ActiveReason: the queue works as its spec says. The message says if it is held, is drained, or only has queues
	// below it.
	ActiveReason = "Active"
	// FlavorNotFoundReason: a flavor of this queue does not exist. Pods are placed in the other flavors.
	FlavorNotFoundReason = "FlavorNotFound"
	// ParentNotFoundReason: the parent of this queue does not exist.
	ParentNotFoundReason = "ParentNotFound"
	// CycleReason: the queue is its own ancestor.
	CycleReason = "Cycle"
	// NoQuotaReason: no queue of the tree has a quota, and its root is not unlimited.
	NoQuotaReason = "NoQuota"
)
