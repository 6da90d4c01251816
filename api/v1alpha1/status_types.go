// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/fluxcd/pkg/apis/meta"
)

// SparkApplicationStatus is what the operator has seen and done. The stage of the current run is the reason of the
// condition Ready.
//
// Its parts ask, times, grant, usage, executors and attempts are open in the schema: the operator alone writes them, people and
// tools read them as wholes, and the API server would check, default, prune and copy every field in them with each write
// of the status. UnmarshalJSON checks them instead.
type SparkApplicationStatus struct {
	// observedGeneration is the generation of the spec that the conditions speak of; -1 until the operator has looked.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, Reconciling, Stalled (Flux's and kstatus' contract), Admitted, Running, Finished and a few
	// that show only when True.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// run counts the executions of the run template, from 1.
	// +optional
	Run int64 `json:"run,omitempty"`

	// attempt counts the starts within the run, from 1.
	// +optional
	Attempt int64 `json:"attempt,omitempty"`

	// templateHash identifies the run template that the current run executes.
	// +optional
	TemplateHash string `json:"templateHash,omitempty"`

	// runID is spec.runID of the current run.
	// +optional
	RunID string `json:"runID,omitempty"`

	// failures counts the attempts of the run that failed, since the last one that ran for restartPolicy.resetAfter.
	// With preemptions, resumes and requeues it says why attempt is above 1.
	// +optional
	Failures int32 `json:"failures,omitempty"`

	// preemptions counts the attempts of the run that were preempted.
	// +optional
	Preemptions int32 `json:"preemptions,omitempty"`

	// resumes counts the attempts of the run that began after a suspension.
	// +optional
	Resumes int32 `json:"resumes,omitempty"`

	// requeues counts the attempts of the run that released their quota because their executors did not start in time,
	// or because the inputs of their grant changed before the driver was created.
	// +optional
	Requeues int32 `json:"requeues,omitempty"`

	// queue is the resolved name of the queue.
	// +optional
	Queue string `json:"queue,omitempty"`

	// ask is what the application requests from its queue, or requested last. It decides whether a change keeps the
	// place in the queue. Its fields: gate; podSets, each with name (driver or executor), count, minCount, requests and flavors.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Ask *Ask `json:"ask,omitempty"`

	// times of the current run, by the operator's clock: queued (its place in the queue), blocked (since when it could not
	// start whatever its queue has), admitted, driverStarted, executorsReady, started (the first attempt ran), stopping,
	// finished, waiting (since when it waits for quota), retry (when the next attempt is queued), referenceMissing (since
	// when something that it names does not exist).
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Times ApplicationTimes `json:"times,omitempty"`

	// runDuration is how long the drivers of the attempts of the run that have ended ran, all together; absent for 0.
	// +optional
	RunDuration *metav1.Duration `json:"runDuration,omitempty"`

	// grant is the quota that the current attempt holds in its queue; absent when it holds none. Its fields: run, attempt,
	// gate, queue, ancestors (queues above it), priority, epoch, gated (executors wait behind the scheduling gate), inputs
	// (hash of the ask's content), resizes, holdsFor; podSets, each with name, flavor, count and requests per pod, and with
	// nodeSelector, tolerations, labels, annotations, schedulerName and schedulingGates of the pods; elastic and flavors for
	// executors above the base gang.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Grant *Grant `json:"grant,omitempty"`

	// usage is what the current attempt has held and requested so far; absent when it holds no grant. Its fields: at (when
	// the amounts were summed); granted, requested and requesting (the amounts of one second at that moment), each with
	// milliCPUSeconds, memoryMiBSeconds and milliGPUSeconds.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Usage *Usage `json:"usage,omitempty"`

	// driver identifies the driver of the current or last attempt.
	// +optional
	Driver *DriverStatus `json:"driver,omitempty"`

	// executors are counts of executors by state: wanted, ready, pending, gated, peak and failed. problem keeps most of the
	// pending ones from starting; summary is the printed column; failures are the newest five that failed, each with pod,
	// reason, cause, exitCode, message and at.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Executors *ExecutorStatus `json:"executors,omitempty"`

	// attempts is a list of the last ten attempts that have ended, of all runs, oldest first, each with run, attempt, outcome
	// (Succeeded, Failed or Stopped), reason, cause, exitCode, message, logTail, startedAt and finishedAt; and
	// with usage: queue, since, until, and what it held (granted) and its pods requested, each with milliCPUSeconds,
	// memoryMiBSeconds and milliGPUSeconds.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Attempts []AttemptStatus `json:"attempts,omitempty"`

	// operator is the namespace of the operator that decides on the application, where several are installed each with a
	// lease. It comes with the first write of the status; absent if the operator has no lease.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Operator string `json:"operator,omitempty"`

	// otherOperator is the namespace of another operator that deals with the application's namespace, and leaves the
	// application alone: condition Contested. Absent if none has said so during this run.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	OtherOperator string `json:"otherOperator,omitempty"`

	// stopping says why the operator is stopping the current attempt; absent when it is not.
	// +optional
	Stopping StopReason `json:"stopping,omitempty"`

	// lastHandledReconcileAt echoes the annotation reconcile.fluxcd.io/requestedAt.
	meta.ReconcileRequestStatus `json:",inline"`

	// lastHandledForceAt echoes the annotation reconcile.fluxcd.io/forceAt: the job ran again because of it.
	meta.ForceRequestStatus `json:",inline"`

	// Invalid names the open parts that were left out of this copy, because they are not what their types say. It is not
	// part of the API.
	Invalid []string `json:"-"`
}

// StopReason says why the operator stops an attempt.
type StopReason string

// The reasons to stop an attempt.
const (
	StopSuspended       StopReason = "Suspended"
	StopTemplateChanged StopReason = "TemplateChanged"
	StopPreempted       StopReason = "Preempted"
	StopDriverStart     StopReason = "DriverStartTimeout"
	StopExecutorStart   StopReason = "ExecutorStartTimeout"
	StopDeadline        StopReason = "DeadlineExceeded"
	StopTotalDeadline   StopReason = "TotalDeadlineExceeded"
	StopAdmission       StopReason = "AdmissionTimeout"
	StopKueueConflict   StopReason = "GateConflict"
	StopInputsChanged   StopReason = "InputsChanged"
	StopRejected        StopReason = "Rejected"
)

// ApplicationTimes are the moments of the current run and attempt, by the operator's clock.
type ApplicationTimes struct {
	// finished is when the run had ended and held nothing. Lists can be limited by it: a new leader does not read what has
	// ended.
	// +optional
	Finished *metav1.Time `json:"finished,omitempty"`

	// +kubebuilder:validation:Schemaless
	OpenTimes `json:",inline"`
}

// OpenTimes are the moments that the schema does not name.
type OpenTimes struct {
	// queued orders applications of equal priority: it is when this one first asked with what it asks for now, plus the
	// time since then in which it could not have started. A preempted or requeued attempt keeps it, others begin anew.
	// +optional
	Queued *metav1.Time `json:"queued,omitempty"`
	// blocked is since when the application could not start whatever its queue has: its spec is invalid, or something
	// that it names does not exist. That time does not count for its place in the queue. Absent while it could start.
	// +optional
	Blocked *metav1.Time `json:"blocked,omitempty"`
	// admitted is when the gate admitted the current attempt.
	// +optional
	Admitted *metav1.Time `json:"admitted,omitempty"`
	// driverStarted is when the driver's container was first seen running.
	// +optional
	DriverStarted *metav1.Time `json:"driverStarted,omitempty"`
	// executorsReady is when the driver of the current attempt and all executors that it began with were first ready
	// together, or timeouts.executorStart was over and none was on its way.
	// +optional
	ExecutorsReady *metav1.Time `json:"executorsReady,omitempty"`
	// started is when the first attempt of the run was seen running.
	// +optional
	Started *metav1.Time `json:"started,omitempty"`
	// stopping is when the operator asked the attempt to end, or saw its driver end.
	// +optional
	Stopping *metav1.Time `json:"stopping,omitempty"`
	// waiting is when the current wait for quota began; absent while it does not wait.
	// +optional
	Waiting *metav1.Time `json:"waiting,omitempty"`
	// retry is when the next attempt will be queued; absent if no back-off is active.
	// +optional
	Retry *metav1.Time `json:"retry,omitempty"`
	// referenceMissing is when a missing reference was first seen; absent when none is missing.
	// +optional
	ReferenceMissing *metav1.Time `json:"referenceMissing,omitempty"`
}

// Grant is the quota that an attempt holds in its queue. It explains itself: what is charged is count × requests of its
// pod sets, never recomputed from the spec.
type Grant struct {
	// run that the grant belongs to.
	// +required
	Run int64 `json:"run"`
	// attempt that the grant belongs to.
	// +required
	Attempt int64 `json:"attempt"`
	// gate that granted it.
	// +required
	Gate GateType `json:"gate"`
	// queue that is charged.
	// +optional
	Queue string `json:"queue,omitempty"`
	// ancestors are the queues above it when the grant was given, nearest first: if the queue is deleted, the grant counts
	// at the nearest one that exists. Absent if it was a root.
	// +optional
	// +listType=atomic
	Ancestors []string `json:"ancestors,omitempty"`
	// priority with which it was granted, if not 0: it counts if the PriorityClass is deleted or no longer allowed there.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// epoch of the leader that granted it.
	// +optional
	Epoch int64 `json:"epoch,omitempty"`
	// gated says that executors are created behind the scheduling gate sparkgate.io/quota, which is removed within the
	// grant. Such a grant grows and shrinks with dynamic allocation.
	// +optional
	Gated bool `json:"gated,omitempty"`
	// inputs is a hash of everything that the ask was made from. A driver is created only from inputs with this hash;
	// if they have changed before it is created, the grant is released first and the start is planned again.
	// +optional
	Inputs string `json:"inputs,omitempty"`
	// resizes is how often the grant has grown since it was given.
	// +optional
	Resizes int64 `json:"resizes,omitempty"`
	// holdsFor is how long after times.admitted the attempt may hold the quota: it was admitted before others that
	// wait because of its timeouts. Longer ones take effect with the next attempt. Absent if it passed no other ask.
	// +optional
	HoldsFor *metav1.Duration `json:"holdsFor,omitempty"`
	// podSets are the granted pods: driver and executors of the base gang first. Executors above it follow, in one set
	// for each flavor.
	// +required
	// +listType=atomic
	PodSets []PodSetGrant `json:"podSets"`
}

// PodSetGrant is the granted number of pods of one role, what each is charged, and where they may run.
type PodSetGrant struct {
	// name of the pod set: driver or executor.
	// +required
	Name string `json:"name"`
	// flavor that is charged.
	// +optional
	Flavor string `json:"flavor,omitempty"`
	// count of pods.
	// +required
	Count int32 `json:"count"`
	// requests that each pod is charged.
	// +optional
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`
	// nodeSelector that the pods get.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// tolerations that the pods get.
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// labels by which the batch scheduler knows the pods.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations by which the batch scheduler knows the pods.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// schedulerName that the pods get.
	// +optional
	SchedulerName string `json:"schedulerName,omitempty"`
	// elastic: these executors are above the base gang. They go first when others reclaim quota.
	// +optional
	Elastic bool `json:"elastic,omitempty"`
	// flavors that executors above the base gang may be placed in; absent means any of the queue.
	// +optional
	// +listType=atomic
	Flavors []string `json:"flavors,omitempty"`
	// schedulingGates that the pods get; another system removes them.
	// +optional
	// +listType=atomic
	SchedulingGates []string `json:"schedulingGates,omitempty"`
}

// DriverStatus identifies the driver of an attempt.
type DriverStatus struct {
	// podName of the driver.
	// +required
	PodName string `json:"podName"`
	// uid of the driver pod, once it was seen. A driver whose uid is recorded is never created again.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// applicationID is Spark's id of the attempt.
	// +optional
	ApplicationID string `json:"applicationID,omitempty"`
	// uiAddress of Spark's web interface while the driver runs: that of its Ingress or route, else the one inside the
	// cluster.
	// +optional
	UIAddress string `json:"uiAddress,omitempty"`
	// historyAddress of the attempt at the history server of the operator's flag --history-server-url; absent without
	// one, or without an event log.
	// +optional
	HistoryAddress string `json:"historyAddress,omitempty"`
}

// ExecutorStatus counts executors by state.
type ExecutorStatus struct {
	// wanted is the number of executors that the attempt begins with: perhaps none under dynamic allocation.
	// +required
	Wanted int32 `json:"wanted"`
	// ready ones run.
	// +required
	Ready int32 `json:"ready"`
	// pending ones wait for a node or for their image.
	// +optional
	Pending int32 `json:"pending,omitempty"`
	// gated ones wait for quota.
	// +optional
	Gated int32 `json:"gated,omitempty"`
	// peak is the largest number of executors that were ready together in this attempt, of those that the status has
	// shown.
	// +optional
	Peak int32 `json:"peak,omitempty"`
	// failed ones have ended with an error during this attempt. Those that their driver removed are not among them.
	// +optional
	Failed int32 `json:"failed,omitempty"`
	// failures are the newest five of the failed ones, oldest first; also those whose pods are gone.
	// +optional
	// +listType=atomic
	Failures []ExecutorFailure `json:"failures,omitempty"`
	// problem that keeps most of the pending ones from starting; absent while there is none.
	// +optional
	Problem string `json:"problem,omitempty"`
	// summary is for the printed column: ready/wanted. Under dynamic allocation, wanted are those that Spark has asked for
	// once the base gang is ready. After the end it is the peak, of the base gang or the peak if that was higher.
	// +optional
	Summary string `json:"summary,omitempty"`
}

// ExecutorFailure is an executor that has ended with an error.
type ExecutorFailure struct {
	// pod of the executor.
	// +required
	Pod string `json:"pod"`
	// reason in one word, such as OOMKilled.
	// +optional
	Reason string `json:"reason,omitempty"`
	// cause is the class of the failure: Application, Infrastructure or Configuration.
	// +optional
	Cause FailureCause `json:"cause,omitempty"`
	// exitCode of the executor's container, if it ended.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`
	// message for people, at most 256 bytes.
	// +optional
	Message string `json:"message,omitempty"`
	// at is when it ended, by the clock of its node.
	// +optional
	At metav1.Time `json:"at,omitempty"`
}

// GetConditions returns the conditions, for Flux's and kstatus' helpers.
func (a *SparkApplication) GetConditions() []metav1.Condition { return a.Status.Conditions }

// SetConditions replaces the conditions.
func (a *SparkApplication) SetConditions(conditions []metav1.Condition) {
	a.Status.Conditions = conditions
}
