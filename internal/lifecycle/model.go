// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/finding"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// Observation is everything that a decision depends on. What is expensive to find out is filled in only when a decision
// needs it (Decision.Need).
type Observation struct {
	// Now is the time of the pass.
	Now time.Time
	// App is the application as it was read. Decide does not change it.
	App *v1alpha1.SparkApplication
	// SameTemplate says that the run template is that of the current run.
	SameTemplate bool
	// Pods are all pods that carry the application's uid.
	Pods []*pods.Record
	// ExecutorFailures are the executors of the current attempt that failed, as far as this process has seen: oldest
	// first, including those whose pods are gone.
	ExecutorFailures []pods.Failure
	// Eviction is why the gate reclaims the grant of the current attempt; nil if it does not, or if there is no grant.
	Eviction *queueing.Eviction
	// DriverEndedSince is when this process first saw that the driver of the attempt has ended; zero if it has not.
	DriverEndedSince time.Time
	// ReadyDroppedSince is when this process first saw that fewer executors are ready than the status says; zero if
	// they are not fewer.
	ReadyDroppedSince time.Time
	// ReadyPeak is the most executors of the current attempt that this process has seen ready together; zero if none was.
	ReadyPeak ReadyPeak
	// LastWrite is when this process last wrote the status; zero if it never did.
	LastWrite time.Time
	// UIAddress is the address of the web interface of the attempt, inside the cluster or outside; empty if unknown.
	UIAddress string
	// ReferenceTimeout is how long a missing reference is waited for before it counts as Stalled.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long pods that have to end may take, whatever they or the spec say. Default: 10m.
	MaxTermination time.Duration
	// ExecutorInterval bounds how often executor counts alone are written; those that say only that more executors are
	// ready wait twice as long. Default: 10s.
	ExecutorInterval time.Duration

	// Plan is the planned start; nil until it was needed.
	Plan *Plan
	// Verdict is the gate's answer; nil until it was needed.
	Verdict *queueing.Verdict
	// Allocation is the gate's answer to Decision.Want, for a grant that may grow; nil until it was needed.
	Allocation *queueing.Allocation
	// Ungating has the flavors of pods that may have been ungated by a write without a response.
	Ungating map[types.UID]string
	// DriverAbsent says that a live read found no driver pod of the attempt; false until it was needed.
	DriverAbsent bool
	// Left are attempts whose driver pod has ended and is gone, as far as this process has seen, while their other objects
	// may exist.
	Left []AttemptID
	// StrayDriver says that a live read found the driver of the attempt with labels or an owner that it was not created
	// with, so that the watch does not show it as the driver. It has been added to Pods as the driver.
	StrayDriver bool
	// UnreachableNodes are the nodes that do not answer and have pods that are being deleted; nil until they were needed.
	UnreachableNodes map[string]bool
	// LogTail is the end of the driver's log, empty if it could not be read; nil until it was needed.
	LogTail *string
	// LogCause is why the driver failed, according to its log; empty if the log does not say so.
	LogCause string
	// DriverEvent is the last warning event of the driver pod, empty if there is none or it cannot be read; nil until it
	// was needed.
	DriverEvent *string
	// Obstacle is what kept the driver from being created; empty if nothing did.
	Obstacle string
	// Rejection is why the API server will not create an object of the attempt as it is, however often it is asked; empty
	// if it has not said so.
	Rejection string
	// CreatedDriver is the driver pod that this process has created for the current attempt, as granted; empty if none.
	CreatedDriver types.UID
	// InputsChanged names the inputs of the grant that changed before the driver was created; empty if none did.
	InputsChanged string
}

// ReadyPeak is the largest number of executors that were ready together, and since when that many were seen.
type ReadyPeak struct {
	Count int32
	Since time.Time
}

// AttemptID names an attempt of the application.
type AttemptID struct{ Run, Attempt int64 }

// Start identifies one start of the application.
type Start struct {
	Run, Attempt int64
	// QueuedAt orders it among the starts of other applications.
	QueuedAt time.Time
}

// Plan is what one start would create and request.
type Plan struct {
	// Hash of the run template.
	Hash string
	// Findings are mistakes in the spec; with any, nothing else is filled in.
	Findings []finding.Finding
	// Outside says that a mistake is not in the application: no watch reports when it is corrected, so it is checked again,
	// less often the longer it exists.
	Outside bool
	// Missing are references to things that do not exist, as sentences; with any, only Queue and Gate are filled in.
	Missing []string
	// Inputs is the hash of what the plan was derived from.
	Inputs string
	// Queue and Gate that decide on the start.
	Queue, Gate string
	// PodSets are what the gate is asked for.
	PodSets []queueing.PodSet
	// DriverPod and ApplicationID are the names of the start, UIAddress where its web interface will be.
	DriverPod, ApplicationID, UIAddress string
	// HistoryAddress is its address on the history server; empty if there is none.
	HistoryAddress string
	// Executors wanted.
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
	// NeedLogTail: Observation.LogTail, of a driver that has failed, or is about to be stopped for a reason that its log
	// may say more about.
	NeedLogTail
	// NeedDriverEvent: Observation.DriverEvent, of a driver that has not started.
	NeedDriverEvent
)

// String returns the name of the need.
func (n Need) String() string {
	return [...]string{"Nothing", "Plan", "Verdict", "DriverAbsent", "Nodes", "Allocation", "LogTail", "DriverEvent"}[n]
}

// Decision is what is to be done.
type Decision struct {
	// Need is what has to be observed before Decide is called again; the rest of the decision is empty then, but for
	// Start.
	Need  Need
	Start Start
	// Want is what the holder of a grant wants above its base gang; with NeedAllocation.
	Want queueing.ResizeRequest

	// Finalizer has to be on the application before Status is written.
	Finalizer bool
	// Before are actions to take before Status is written.
	Before []Action
	// Status to publish.
	Status v1alpha1.SparkApplicationStatus
	// After are actions that need Status to be written.
	After []Action
	// RequeueAt is when the next look is due without an event; zero if never.
	RequeueAt time.Time
	// Events are events to record after the write.
	Events []Event
}

// Event is an event about the application.
type Event struct {
	Warning         bool
	Reason, Message string
}

// ActionKind says what to do.
type ActionKind int

// The actions. The set is closed. All are idempotent.
const (
	// ReportGrant reports to the gate which grant is in the status: a new one, or what is left of one that shrank.
	ReportGrant ActionKind = iota
	// UngatePods removes the scheduling gates of the pods in Action.Ungates.
	UngatePods
	// CreateDriver creates the objects of the attempt, the driver pod last.
	CreateDriver
	// DeletePod deletes Action.Pod.
	DeletePod
	// EndContainers has the kubelet end the containers of Action.Pod, which stays, and so do its logs.
	EndContainers
	// DeleteService deletes the Service of the attempt Action.Run, Action.Attempt, which is not needed once its driver
	// has ended.
	DeleteService
	// DeleteObjects deletes all objects of the attempt Action.Run, Action.Attempt, including the driver pod.
	DeleteObjects
	// ReleaseGrant withdraws the ask and releases the grant.
	ReleaseGrant
	// RemoveFinalizer lets the application go.
	RemoveFinalizer
	// DeleteApplication deletes the application, unless it was changed since it was read.
	DeleteApplication
)

// Action is one thing to do.
type Action struct {
	Kind ActionKind
	// Pod to delete, or whose containers to end.
	Pod *pods.Record
	// Run and Attempt whose objects to delete.
	Run, Attempt int64
	// Force deletes it without a grace period.
	Force bool
	// Ungates are the pods to ungate.
	Ungates []Ungate
}

// Ungate is a pod for which the grant has quota, and where it may run.
type Ungate struct {
	Pod          *pods.Record
	Flavor       string
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Labels by which another system knows the pod.
	Labels map[string]string
}
