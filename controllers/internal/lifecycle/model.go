// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// Observation is everything that a decision depends on. What costs something to find out is filled in only when a decision says
// that it needs it (Decision.Need).
type Observation struct {
	// Now is the time of the pass.
	Now time.Time
	// App is the application as it was read. Decide does not change it.
	App *v1alpha1.SparkApplication
	// SameTemplate says that the run template is the one of the current run.
	SameTemplate bool
	// Pods are all pods that carry the application's uid.
	Pods []*pods.Record
	// ExecutorFailures are the executors of the current attempt that failed, as far as this process has seen: oldest first, also those
	// whose pods are gone.
	ExecutorFailures []pods.Failure
	// Eviction is why the gate wants the grant of the current attempt back; nil while it may be kept, and while there is none.
	Eviction *queueing.Eviction
	// EndSeen is when this process first saw that the driver of the attempt has ended; zero if it has not, or was not asked.
	EndSeen time.Time
	// FewerSeen is since when this process has seen that fewer executors are ready than the status says; zero if they are not fewer, or if
	// it was not asked.
	FewerSeen time.Time
	// LastWrite is when this process last wrote the status; zero if it never did.
	LastWrite time.Time
	// UIAddress is where the web interface of the attempt is found, inside the cluster or outside; empty while that is not known.
	UIAddress string
	// ReferenceTimeout is how long a missing reference is waited for before it counts as Stalled.
	ReferenceTimeout time.Duration
	// MaxTermination bounds how long pods take to end that have to, whatever they or the spec say. Default: 10m.
	MaxTermination time.Duration
	// ExecutorInterval bounds how often executor counts alone are written. Default: 10s.
	ExecutorInterval time.Duration

	// Plan is what planning the start gave; nil until it was asked for.
	Plan *Plan
	// Verdict is the gate's answer; nil until it was asked for.
	Verdict *queueing.Verdict
	// Room is what the gate says of a grant that may grow, which was told what is wanted; nil until it was asked for.
	Room *queueing.Room
	// Releasing are pods whose gates may have been lifted by a write that nobody has answered, by the flavors in which.
	Releasing map[types.UID]string
	// DriverAbsent says that a live read found no driver pod of the attempt; false until it was asked for.
	DriverAbsent bool
	// UnreachableNodes are nodes of pods overdue to end that do not answer; nil until it was asked for.
	UnreachableNodes map[string]bool
	// LogTail is the end of the driver's log, empty if it could not be had; nil until it was asked for.
	LogTail *string
	// Obstacle keeps the driver from being created, as found by trying; empty if nothing does.
	Obstacle string
	// Made is the driver pod that this process has made for the current attempt, as granted; empty if it has not.
	Made types.UID
	// InputsChanged says what of the inputs of the grant has changed before the driver was created, as found by trying; empty if nothing has.
	InputsChanged string
}

// Start identifies one start of the application.
type Start struct {
	Run, Attempt int64
	// QueuedAt orders it among others.
	QueuedAt time.Time
}

// Plan is what one start would be.
type Plan struct {
	// Hash of the run template.
	Hash string
	// Findings are mistakes in the spec; with any, nothing else is filled in.
	Findings []Finding
	// Missing are references to things that do not exist, as sentences; with any, only Queue and Gate are filled in.
	Missing []string
	// Inputs identify what the plan was made from.
	Inputs string
	// Queue and Gate that decide on the start.
	Queue, Gate string
	// PodSets are what the gate is asked for.
	PodSets []queueing.PodSet
	// DriverPod and ApplicationID are the names of the start, UIAddress where its web interface will be.
	DriverPod, ApplicationID, UIAddress string
	// HistoryAddress is where a history server will show it; empty if none will.
	HistoryAddress string
	// Executors wanted.
	Executors int32
}

// Finding is a mistake in the spec.
type Finding struct {
	// Reason is InvalidSpec or NotYetSupported.
	Reason string
	// Message names field, value and remedy.
	Message string
	// Outside says that the mistake is not in the application: nothing tells when it is mended, so it is looked for again.
	Outside bool
}

// Need is what a decision cannot be made without.
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
	// NeedRoom: Observation.Room, once the gate was told Decision.Want.
	NeedRoom
	// NeedLogTail: Observation.LogTail, of a driver that has failed, or is about to be stopped as failed.
	NeedLogTail
)

// String returns the name of the need.
func (n Need) String() string {
	return [...]string{"Nothing", "Plan", "Verdict", "DriverAbsent", "Nodes", "Quota", "LogTail"}[n]
}

// Decision is what is to be done.
type Decision struct {
	// Need is what has to be observed before Decide is called again; the rest of the decision is empty then, but for Start.
	Need  Need
	Start Start
	// Want is what the holder of a grant wants beside its base gang; with NeedRoom.
	Want queueing.Want

	// Finalizer has to be on the application before Status is written.
	Finalizer bool
	// Before are actions whose order is before the write of Status.
	Before []Action
	// Status to publish.
	Status v1alpha1.SparkApplicationStatus
	// After are actions that need Status to be written.
	After []Action
	// RequeueAt is when the next look is due by itself; zero if never.
	RequeueAt time.Time
	// Announce are events to record after the write.
	Announce []Announcement
}

// Announcement is an event about the application.
type Announcement struct {
	Warning         bool
	Reason, Message string
}

// ActionKind says what to do.
type ActionKind int

// The actions. The set is closed. All are idempotent.
const (
	// ConfirmGrant tells the gate that the grant stands in the status.
	ConfirmGrant ActionKind = iota
	// SettleGrant tells the gate which grant stands in the status.
	SettleGrant
	// ReleasePods lifts the gates of the pods in Action.Releases.
	ReleasePods
	// CreateDriver makes the objects of the attempt, the driver pod last.
	CreateDriver
	// DeletePod deletes Action.Pod.
	DeletePod
	// DeleteService deletes the Service of the attempt Action.Run, Action.Attempt, which nobody needs once its driver has ended.
	DeleteService
	// DeleteObjects deletes everything that was made for the attempt Action.Run, Action.Attempt, the driver pod included.
	DeleteObjects
	// ReleaseGrant tells the gate that nothing is held or asked for any more.
	ReleaseGrant
	// RemoveFinalizer lets the application go.
	RemoveFinalizer
	// DeleteApplication deletes the application, unless it was changed since it was read.
	DeleteApplication
)

// Action is one thing to do.
type Action struct {
	Kind ActionKind
	// Pod to delete.
	Pod *pods.Record
	// Run and Attempt whose objects to delete.
	Run, Attempt int64
	// Force deletes it without a grace period.
	Force bool
	// Releases are pods whose gates are lifted.
	Releases []Release
}

// Release is a pod that the grant has room for, and where.
type Release struct {
	Pod          *pods.Record
	Flavor       string
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Labels by which another system knows the pod.
	Labels map[string]string
}
