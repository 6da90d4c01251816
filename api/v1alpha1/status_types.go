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

// SparkApplicationStatus is what the operator has observed and done. The stage of the current run is the reason of the
// condition Ready.
//
// The schema does not describe its parts ask, times, grant, usage, executors and attempts. Only the operator writes
// them, users and tools read them as wholes, and the API server would validate, default, prune and copy every field in
// them with each write of the status. UnmarshalJSON checks them instead.
type SparkApplicationStatus struct {
	// observedGeneration is the generation of the spec that the conditions describe; -1 until the operator has seen it.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// conditions are Ready, Reconciling and Stalled (as Flux and kstatus expect them), Admitted, Running, Finished, and
	// a few others that are present only while they are True.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// run is the number of the current run: the executions of the run template, counted from 1.
	// +optional
	Run int64 `json:"run,omitempty"`

	// attempt is the number of the current attempt: the starts of the driver within the run, counted from 1.
	// +optional
	Attempt int64 `json:"attempt,omitempty"`

	// templateHash is the hash of the run template of the current run.
	// +optional
	TemplateHash string `json:"templateHash,omitempty"`

	// runID is spec.runID of the current run.
	// +optional
	RunID string `json:"runID,omitempty"`

	// appliedBy is what applied the run template of the current run, by the label or annotation of Flux, Argo CD or Helm:
	// kind, namespace and name, such as "Kustomization team-a/jobs". Absent if nothing is known.
	// +optional
	AppliedBy string `json:"appliedBy,omitempty"`

	// failures is the number of failed attempts of the run, since the last one that ran for restartPolicy.resetAfter.
	// Together with preemptions, resumes and requeues it explains why attempt is above 1.
	// +optional
	Failures int32 `json:"failures,omitempty"`

	// disruptions is the number of attempts of the run in a row that were disrupted: their drivers were evicted,
	// preempted by a scheduler or lost with their nodes. They do not count as failures.
	// +optional
	Disruptions int32 `json:"disruptions,omitempty"`

	// preemptions is the number of attempts of the run that were preempted.
	// +optional
	Preemptions int32 `json:"preemptions,omitempty"`

	// resumes is the number of attempts of the run that began after a suspension.
	// +optional
	Resumes int32 `json:"resumes,omitempty"`

	// requeues is the number of attempts of the run that released their quota because their executors did not start in
	// time, or because the inputs of their grant changed before the driver was created.
	// +optional
	Requeues int32 `json:"requeues,omitempty"`

	// queue is the resolved name of the queue.
	// +optional
	Queue string `json:"queue,omitempty"`

	// ask is what the application requests from its queue, or requested last. It decides whether a change keeps the
	// place in the queue. Its fields: gate; podSets, each with name (driver or executor), count, minCount, requests,
	// flavors.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Ask *Ask `json:"ask,omitempty"`

	// times of the current run, by the operator's clock: queued (its place in the queue), blocked (since when it could
	// not start, regardless of its queue), admitted, driverStarted, executorsReady, started (the first attempt ran),
	// stopping, finished, waiting (since when it has waited for quota), retry (when the next attempt is queued),
	// referenceMissing (since when an object that it references has been missing).
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Times ApplicationTimes `json:"times,omitempty"`

	// runDuration is how long the drivers of the run's attempts that have ended ran, all together; absent for 0.
	// +optional
	RunDuration *metav1.Duration `json:"runDuration,omitempty"`

	// grant is the quota that the current attempt holds in its queue; absent if it holds none. Its fields: run,
	// attempt, gate, queue, ancestors (queues above it), priority, epoch, gated (executors wait behind the scheduling
	// gate), inputs (hash of the ask's content), resizes, holdsFor; podSets, each with name, flavor, count and requests
	// per pod, and with nodeSelector, tolerations, labels, annotations, schedulerName and schedulingGates of the pods;
	// elastic and flavors for executors above the base gang.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Grant *Grant `json:"grant,omitempty"`

	// usage is what the current attempt has held and requested so far; absent if it holds no grant. Its fields: at
	// (when the amounts were summed); granted, requested and requesting (the amounts of one second at that moment),
	// each with milliCPUSeconds, memoryMiBSeconds and milliGPUSeconds.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Usage *Usage `json:"usage,omitempty"`

	// driver identifies the driver of the current or last attempt.
	// +optional
	Driver *DriverStatus `json:"driver,omitempty"`

	// executors are counts of executors by state: wanted, ready, pending, gated, peak and failed, and refusals, how often
	// some beyond the grant were ended. problem is what keeps most of the pending ones from starting; summary is the
	// printed column; failures are the five newest failures, each with pod, reason, cause, exitCode, message and at.
	// Absent for a driver without executors.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Executors *ExecutorStatus `json:"executors,omitempty"`

	// attempts are the last ten attempts that have ended, of all runs, oldest first, each with run, attempt, outcome
	// (Succeeded, Failed or Stopped), reason, cause, exitCode, message, startedAt and finishedAt; and with
	// usage: queue, since, until, and what it held (granted) and its pods requested, each with milliCPUSeconds,
	// memoryMiBSeconds and milliGPUSeconds.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Attempts []AttemptStatus `json:"attempts,omitempty"`

	// stopping is why the operator is stopping the current attempt; absent if it is not.
	// +optional
	Stopping StopReason `json:"stopping,omitempty"`

	// lastHandledReconcileAt echoes the annotation reconcile.fluxcd.io/requestedAt.
	meta.ReconcileRequestStatus `json:",inline"`

	// lastHandledForceAt echoes the annotation reconcile.fluxcd.io/forceAt: the job ran again because of it.
	meta.ForceRequestStatus `json:",inline"`

	// Invalid are the names of the open parts that were left out because they lack their types. It is not in the API.
	Invalid []string `json:"-"`
}

// StopReason is why the operator stops an attempt.
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
	StopExceedsGrant    StopReason = "ExecutorsExceedGrant"
	StopIdle            StopReason = "Idle"
)

// ApplicationTimes are the times of the current run and attempt, by the operator's clock.
type ApplicationTimes struct {
	// finished is when the run had ended and no longer held anything. Lists can be selected by it, so that a new leader
	// does not have to read applications that have ended.
	// +optional
	Finished *metav1.Time `json:"finished,omitempty"`

	// +kubebuilder:validation:Schemaless
	OpenTimes `json:",inline"`
}

// OpenTimes are the times that the schema does not describe.
type OpenTimes struct {
	// queued orders applications of equal priority: it is when this one first asked for what it asks for now, plus the
	// time since then in which it could not start. A preempted or requeued attempt keeps it, others begin anew.
	// +optional
	Queued *metav1.Time `json:"queued,omitempty"`
	// blocked is since when the application could not start, regardless of its queue: its spec is invalid, or an object
	// that it references does not exist. That time does not count for its place in the queue. Absent if it could start.
	// +optional
	Blocked *metav1.Time `json:"blocked,omitempty"`
	// admitted is when the gate admitted the current attempt.
	// +optional
	Admitted *metav1.Time `json:"admitted,omitempty"`
	// driverStarted is when the driver's container was first seen running.
	// +optional
	DriverStarted *metav1.Time `json:"driverStarted,omitempty"`
	// executorsReady is when the driver of the current attempt and all executors that it began with were first ready
	// together, or when timeouts.executorStart had passed and no executor was pending.
	// +optional
	ExecutorsReady *metav1.Time `json:"executorsReady,omitempty"`
	// started is when the first attempt of the run was seen running.
	// +optional
	Started *metav1.Time `json:"started,omitempty"`
	// stopping is when the operator began to stop the attempt, or saw its driver end.
	// +optional
	Stopping *metav1.Time `json:"stopping,omitempty"`
	// waiting is when the current wait for quota began; absent if it does not wait.
	// +optional
	Waiting *metav1.Time `json:"waiting,omitempty"`
	// retry is when the next attempt will be queued; absent if there is no pause.
	// +optional
	Retry *metav1.Time `json:"retry,omitempty"`
	// referenceMissing is when a missing reference was first seen; absent when none is missing.
	// +optional
	ReferenceMissing *metav1.Time `json:"referenceMissing,omitempty"`
}

// Grant is the quota that an attempt holds in its queue. It is self-contained: what is charged is count × requests of
// its pod sets, and is never recomputed from the spec.
type Grant struct {
	// run is the number of the run that the grant belongs to.
	// +required
	Run int64 `json:"run"`
	// attempt is the number of the attempt that the grant belongs to.
	// +required
	Attempt int64 `json:"attempt"`
	// gate is the gate that granted it.
	// +required
	Gate GateType `json:"gate"`
	// queue is the queue that is charged.
	// +optional
	Queue string `json:"queue,omitempty"`
	// ancestors are the queues above it at the time of the grant, nearest first. If the queue is deleted, the grant is
	// charged to the nearest one that exists. Absent if the queue was a root.
	// +optional
	// +listType=atomic
	Ancestors []string `json:"ancestors,omitempty"`
	// priority is the priority with which it was granted, if not 0. It is used if the PriorityClass is deleted or no
	// longer allowed there.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// epoch is the epoch of the leader that granted it.
	// +optional
	Epoch int64 `json:"epoch,omitempty"`
	// gated is true if executors are created behind the scheduling gate sparkgate.io/quota, which is removed as far as
	// the grant has quota. Such a grant grows and shrinks with dynamic allocation.
	// +optional
	Gated bool `json:"gated,omitempty"`
	// inputs is a hash of everything from which the ask was made. A driver is created only from inputs with this hash.
	// If they change before it is created, the grant is released and the start is planned again.
	// +optional
	Inputs string `json:"inputs,omitempty"`
	// resizes is how often the grant has grown.
	// +optional
	Resizes int64 `json:"resizes,omitempty"`
	// holdsFor is how long after times.admitted the attempt may hold the quota, if it was admitted before others that
	// wait because of its timeouts. Longer timeouts take effect with the next attempt. Absent if it passed none.
	// +optional
	HoldsFor *metav1.Duration `json:"holdsFor,omitempty"`
	// podSets are the granted pods: first the driver and the executors of the base gang, then the executors above it,
	// with one set for each flavor.
	// +required
	// +listType=atomic
	PodSets []PodSetGrant `json:"podSets"`
}

// PodSetGrant is the granted number of pods of one role, what each is charged, and where they may run.
type PodSetGrant struct {
	// name of the pod set: driver or executor.
	// +required
	Name string `json:"name"`
	// flavor is the flavor that is charged.
	// +optional
	Flavor string `json:"flavor,omitempty"`
	// count is the number of pods.
	// +required
	Count int32 `json:"count"`
	// requests are what each pod is charged.
	// +optional
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`
	// nodeSelector is added to the pods.
	// +optional
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// tolerations are added to the pods.
	// +optional
	// +listType=atomic
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
	// labels are added to the pods, so that the batch scheduler recognizes them.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`
	// annotations are added to the pods, so that the batch scheduler recognizes them.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`
	// schedulerName is the scheduler of the pods.
	// +optional
	SchedulerName string `json:"schedulerName,omitempty"`
	// elastic is true for executors above the base gang. They are the first to end if other queues reclaim quota.
	// +optional
	Elastic bool `json:"elastic,omitempty"`
	// flavors are those in which executors above the base gang may be placed; absent means any of the queue.
	// +optional
	// +listType=atomic
	Flavors []string `json:"flavors,omitempty"`
	// schedulingGates are added to the pods; another system removes them.
	// +optional
	// +listType=atomic
	SchedulingGates []string `json:"schedulingGates,omitempty"`
}

// DriverStatus identifies the driver of an attempt.
type DriverStatus struct {
	// podName is the name of the driver pod.
	// +required
	PodName string `json:"podName"`
	// uid is the uid of the driver pod, once it was observed. A driver whose uid is recorded is never created again.
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// applicationID is Spark's id of the attempt.
	// +optional
	ApplicationID string `json:"applicationID,omitempty"`
	// uiAddress is the address of Spark's web interface while the driver runs: that of its Ingress or route, else the
	// one inside the cluster.
	// +optional
	UIAddress string `json:"uiAddress,omitempty"`
	// historyAddress is the address of the attempt at the history server of the operator's flag --history-server-url;
	// absent without that flag, or without an event log.
	// +optional
	HistoryAddress string `json:"historyAddress,omitempty"`
}

// ExecutorStatus counts executors by state.
type ExecutorStatus struct {
	// wanted is the number of executors that the attempt begins with, which may be 0 under dynamic allocation.
	// +required
	Wanted int32 `json:"wanted"`
	// ready is the number of executors that are ready.
	// +required
	Ready int32 `json:"ready"`
	// pending is the number of executors that wait for a node or for their image.
	// +optional
	Pending int32 `json:"pending,omitempty"`
	// gated is the number of executors that wait for quota.
	// +optional
	Gated int32 `json:"gated,omitempty"`
	// peak is the largest number of executors that were ready together in this attempt, as far as the status showed it.
	// +optional
	Peak int32 `json:"peak,omitempty"`
	// failed is the number of executors that ended with an error in this attempt, unless the driver removed them.
	// +optional
	Failed int32 `json:"failed,omitempty"`
	// refusals is how often executors beyond the grant were ended, because the queue had no quota for them. The program
	// asks for more executors than the spec, or for larger ones.
	// +optional
	Refusals int32 `json:"refusals,omitempty"`
	// failures are the five newest failures, oldest first, including executors whose pods are gone.
	// +optional
	// +listType=atomic
	Failures []ExecutorFailure `json:"failures,omitempty"`
	// problem is what keeps most of the pending executors from starting; absent if there is none.
	// +optional
	Problem string `json:"problem,omitempty"`
	// summary is the printed column: ready/wanted. Under dynamic allocation, once the base gang is ready, wanted is
	// what Spark has asked for. After the end it is the peak, of the base gang or of the peak if that was higher.
	// +optional
	Summary string `json:"summary,omitempty"`
}

// ExecutorFailure is an executor that has ended with an error.
type ExecutorFailure struct {
	// pod is the name of the executor pod.
	// +required
	Pod string `json:"pod"`
	// reason is why it ended, in one word, such as OOMKilled.
	// +optional
	Reason string `json:"reason,omitempty"`
	// cause is the class of the failure: Application, Infrastructure or Configuration.
	// +optional
	Cause FailureCause `json:"cause,omitempty"`
	// exitCode is the exit code of the executor's container, if it ended.
	// +optional
	ExitCode *int32 `json:"exitCode,omitempty"`
	// message is why it ended, for users, in at most 256 bytes.
	// +optional
	Message string `json:"message,omitempty"`
	// at is when it ended, by the clock of its node.
	// +optional
	At metav1.Time `json:"at,omitempty"`
}

// GetConditions returns the conditions, for helpers of Flux and kstatus.
func (a *SparkApplication) GetConditions() []metav1.Condition { return a.Status.Conditions }

// SetConditions replaces the conditions.
func (a *SparkApplication) SetConditions(conditions []metav1.Condition) {
	a.Status.Conditions = conditions
}
