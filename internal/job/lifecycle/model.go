// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/base/finding"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// Observation is everything that a decision depends on. What is expensive to find out is filled in only when a decision
// needs it (Decision.Need).
type Observation struct {
	// Now is the time of the pass.
	Now time.Time
	// App is the application as it was read. Decide does not change it.
	App *v1alpha1.SparkApplication
	// SameTemplate reports whether the run template is the one of the current run.
	SameTemplate bool
	// Pods are all pods that carry the application's uid.
	Pods []*pods.Record
	// Eviction is why the gate reclaims the grant of the current attempt; nil if it does not, or if there is no grant.
	Eviction *queueing.Eviction
	// UIAddress is the address of the web interface of the attempt, inside or outside of the cluster; empty if unknown.
	UIAddress string

	// ClusterLost says what has become of the SparkCluster on which the driver started; empty if it is still there, or if
	// the driver has none.
	ClusterLost string
	// ClusterCores is how many cores the programs on a cluster may have together; 0 if its spec says how many workers it
	// has.
	ClusterCores int64

	// What this process has seen or done itself, and the next one does not know.

	// ExecutorFailures are the failed executors of the current attempt that this process has seen, oldest first,
	// including those whose pods are gone.
	ExecutorFailures []pods.Failure
	// DriverEndedSince is when this process first saw that the driver of the attempt has ended; zero if it has not.
	DriverEndedSince time.Time
	// EndedDriver is the driver of the attempt as this process saw it after its end; nil if it has not. Its pod may
	// have been deleted since.
	EndedDriver *pods.Record
	// ReadyDroppedSince is when this process first saw fewer ready executors than the status says; zero if there are
	// not fewer.
	ReadyDroppedSince time.Time
	// ExecutorsGoneSince is when this process first saw no executor of an attempt that has had some; zero if there are any,
	// or were none.
	ExecutorsGoneSince time.Time
	// ReadyPeak is the largest number of executors of the current attempt that this process has seen ready together;
	// zero if none was.
	ReadyPeak ReadyPeak
	// LastWrite is when this process last wrote the status; zero if it never did.
	LastWrite time.Time
	// Activity is what the driver of the attempt answered when this process last asked what it does, or has.
	Activity Activity
	// Ungating maps pods that may have been ungated by a write without a response to the flavor in which they were.
	Ungating map[types.UID]string
	// Leftovers are attempts whose driver pod has ended and is gone, as far as this process has seen, but whose other
	// objects may still exist.
	Leftovers []AttemptID
	// CreatedDriver is the uid of the driver pod that this process created, as granted, for the current attempt; empty
	// if it has not.
	CreatedDriver types.UID

	// How the operator is configured.

	// ReferenceTimeout is how long a reference may be missing before the application counts as Stalled.
	ReferenceTimeout time.Duration
	// MaxTermination is the longest time that pods get to end, whatever they or the spec say. Default: 10m.
	MaxTermination time.Duration
	// ExecutorInterval is the minimum time between two writes that only change executor counts. If all that has changed
	// is that more executors are ready, it is twice as long. Default: 10s.
	ExecutorInterval time.Duration

	// What is found out only when a decision needs it.

	// Plan is the planned start; nil until it was needed.
	Plan *Plan
	// Verdict is the gate's answer; nil until it was needed.
	Verdict *queueing.Verdict
	// Allocation is the gate's answer to Decision.Want, for a grant that may grow; nil until it was needed.
	Allocation *queueing.Allocation
	// DriverAbsent reports that a live read found no driver pod of the attempt; false until it was needed.
	DriverAbsent bool
	// StrayDriver reports that a live read found the driver of the attempt with other labels or another owner than it
	// was created with, so that the watch does not show it as the driver. The pod has been added to Pods, as the
	// driver.
	StrayDriver bool
	// UnreachableNodes are the nodes that do not answer and have pods that are being deleted; nil until they were
	// needed.
	UnreachableNodes map[string]bool
	// LogCause is why the driver failed, according to its log, empty if the log does not say it; nil until it was needed.
	LogCause *string
	// DriverEvent is the last warning event of the driver pod, empty if there is none or it cannot be read; nil until it
	// was needed.
	DriverEvent *string

	// What came of an attempt to create the driver.

	// Obstacle is what kept the driver, or the workers of a cluster, from being created; empty if nothing did.
	Obstacle string
	// Rejection is why the API server permanently refuses to create an object of the attempt; empty if it has not
	// refused any.
	Rejection string
	// InputsChanged names the inputs of the grant that changed before the driver was created; empty if none did.
	InputsChanged string
}

// ReadyPeak is the largest number of executors that were ready together, and since when that many were seen.
type ReadyPeak struct {
	Count int32
	Since time.Time
}

// Activity is an answer of a driver to the question what jobs it runs, or of a master to the question which workers it
// has. The zero value says that it was not asked.
type Activity struct {
	// Asked is the time of the pass in which it was asked.
	Asked time.Time
	// Busy is when its last job ended, or Asked if one runs; zero if it had none.
	Busy time.Time
	// Workers are the workers that are ALIVE at a master, by their addresses. Waits reports that a program has no core.
	Workers map[string]Worker
	Waits   bool
	// Problem is why it gave no answer; empty if it did. It must not contain numbers that change all the time.
	Problem string
}

// Worker is a worker of a cluster as its master has it.
type Worker struct {
	// Cores is how many of its cores are in use.
	Cores int32
	// IdleSince is since when it was seen without any in use; zero if some are.
	IdleSince time.Time
}

// NoteIdle sets since when the workers of an answer are idle, given the answer before.
func (a *Activity) NoteIdle(before Activity) {
	for host, w := range a.Workers {
		if w.Cores > 0 {
			continue
		}
		if w.IdleSince = before.Workers[host].IdleSince; w.IdleSince.IsZero() {
			w.IdleSince = a.Asked
		}
		a.Workers[host] = w
	}
}

// AttemptID identifies an attempt of the application.
type AttemptID struct{ Run, Attempt int64 }

// CurrentAttempt returns the attempt in the status of an application.
func CurrentAttempt(app *v1alpha1.SparkApplication) AttemptID {
	return AttemptID{app.Status.Run, app.Status.Attempt}
}

// Start identifies one start of the application.
type Start struct {
	Run, Attempt int64
	// QueuedAt is its place in the queue: it orders the start among those of other applications.
	QueuedAt time.Time
}

// Plan is what one start would create, and what it would ask of its gate.
type Plan struct {
	// Hash is the hash of the run template.
	Hash string
	// Findings are mistakes in the spec. If there are any, no other field but Outside is filled in.
	Findings []finding.Finding
	// Outside reports that a mistake is in another object than the application. No watch reports its correction, so it
	// is checked again, less often the longer it exists.
	Outside bool
	// Missing are sentences about references to objects that do not exist. If there are any, only Queue and Gate are
	// filled in as well.
	Missing []string
	// Inputs is the hash of everything the plan was derived from.
	Inputs string
	// Queue and Gate decide on the start.
	Queue, Gate string
	// PodSets are requested from the gate.
	PodSets []queueing.PodSet
	// DriverPod and ApplicationID are the names that the start will use, UIAddress the address of its web interface.
	DriverPod, ApplicationID, UIAddress string
	// HistoryAddress is the address of the application on the history server; empty if there is none.
	HistoryAddress string
	// Executors is the number of executors that the application wants.
	Executors int32
}

// stopFinding is why an attempt has to be stopped. The zero value says that it may continue.
type stopFinding struct {
	reason  v1alpha1.StopReason
	message string
}

// Need is what has to be observed before a decision is possible.
type Need int

// The needs. The set is closed.
const (
	// NeedNothing: the decision is complete.
	NeedNothing Need = iota
	// NeedPlan: Observation.Plan for Decision.Start.
	NeedPlan
	// NeedVerdict: Observation.Verdict for Decision.Start.
	NeedVerdict
	// NeedDriverAbsent: a live read of the driver pod.
	NeedDriverAbsent
	// NeedNodes: Observation.UnreachableNodes.
	NeedNodes
	// NeedAllocation: Observation.Allocation, the answer of the gate to Decision.Want.
	NeedAllocation
	// NeedLogCause: Observation.LogCause, of a driver that has failed, or that is about to be stopped for a reason which
	// its log may explain.
	NeedLogCause
	// NeedDriverEvent: Observation.DriverEvent, of a driver that has not started.
	NeedDriverEvent
	// NeedActivity: Observation.Activity, of a server that may be idle, or of a master whose workers may have changed.
	NeedActivity
)

// String returns the name of the need.
func (n Need) String() string {
	return [...]string{"Nothing", "Plan", "Verdict", "DriverAbsent", "Nodes", "Allocation", "LogCause", "DriverEvent", "Activity"}[n]
}

// Decision is what has to be done for an application.
type Decision struct {
	// Need is what has to be observed before Decide is called again. Unless it is NeedNothing, only Start and Want are
	// filled in.
	Need  Need
	Start Start
	// Want is what the holder of a grant requests above its base gang; set with NeedAllocation.
	Want queueing.ResizeRequest

	// Finalizer reports that the finalizer has to be on the application before Status is written.
	Finalizer bool
	// Before are the actions to take before Status is written.
	Before []Action
	// Status is the status to publish.
	Status v1alpha1.SparkApplicationStatus
	// After are the actions to take after Status has been written.
	After []Action
	// RequeueAt is when the application has to be looked at again even if nothing happens; zero if never.
	RequeueAt time.Time
	// Events are the events to record after the write.
	Events []Event
}

// Event is a Kubernetes event about the application.
type Event struct {
	Warning         bool
	Reason, Message string
}

// ActionKind is the kind of an Action.
type ActionKind int

// The actions. The set is closed. All are idempotent.
const (
	// ReportGrant reports to the gate which grant is in the status: a new one, or the rest of one that shrank.
	ReportGrant ActionKind = iota
	// UngatePods removes the scheduling gates of the pods in Action.Ungates.
	UngatePods
	// CreateDriver creates the objects of the attempt, the driver pod last.
	CreateDriver
	// CreateWorkers creates the workers in Action.Workers.
	CreateWorkers
	// DeletePod deletes Action.Pod.
	DeletePod
	// EndContainers makes the kubelet end the containers of Action.Pod. The pod stays, and so does its log.
	EndContainers
	// DeleteService deletes the Service of the attempt Action.Run, Action.Attempt. It is not needed once the driver has
	// ended.
	DeleteService
	// DeleteObjects deletes all objects of the attempt Action.Run, Action.Attempt, including the driver pod.
	DeleteObjects
	// ReleaseGrant withdraws the ask and releases the grant.
	ReleaseGrant
	// RemoveFinalizer removes the operator's finalizer from the application.
	RemoveFinalizer
	// DeleteApplication deletes the application, unless it was changed since it was read.
	DeleteApplication
)

// Action is one thing to do.
type Action struct {
	Kind ActionKind
	// Pod is the pod to delete, or whose containers to end.
	Pod *pods.Record
	// Run and Attempt identify the attempt whose objects are deleted.
	Run, Attempt int64
	// Force deletes the pod without a grace period.
	Force bool
	// Ungates are the pods to ungate.
	Ungates []Ungate
	// Workers are the numbers of the workers to create.
	Workers []int
}

// Ungate is a pod to ungate because the grant has quota for it, and the flavor, node selector and tolerations that it
// gets.
type Ungate struct {
	Pod          *pods.Record
	Flavor       string
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Labels are labels by which another system, such as Kueue, recognizes the pod.
	Labels map[string]string
}
