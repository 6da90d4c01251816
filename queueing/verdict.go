// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// State is where an ask stands.
type State int

// The states of an ask. The set is closed.
const (
	// Undecided: the gate has taken the ask and will wake the application when it has looked; nothing is to be reported
	// yet.
	Undecided State = iota
	// Waiting: the gate has looked and there is not enough quota now. Reason and Message say why; the gate wakes the
	// application on change.
	Waiting
	// Granted: Grant holds the quota. It is charged until Release.
	Granted
	// Evicting: a grant has to be given back: stop all pods, then Release.
	Evicting
	// Refused: the ask could never be granted with the current configuration. Reason and Message say why; the gate
	// wakes the application on change. With ReasonQueueHeld this ask was taken out of its queue, which stays so until
	// the application asks anew.
	Refused
)

// String returns the name of the state.
func (s State) String() string {
	switch s {
	case Undecided:
		return "Undecided"
	case Waiting:
		return "Waiting"
	case Granted:
		return "Granted"
	case Evicting:
		return "Evicting"
	case Refused:
		return "Refused"
	}
	return "Unknown"
}

// Verdict is a gate's answer to an ask.
type Verdict struct {
	State State
	// Reason is one of the Reason constants; empty for Undecided, and for Granted unless it is
	// ReasonDelegatedToScheduler: then there may be no quota yet, and the scheduler makes the pods wait for it.
	Reason string
	// Message is a sentence for people. It is stable: it names what is needed and which limit blocks, and has no figure
	// that moves without a cause, because each change is a write to the API server.
	Message string
	// Preempting says that other applications have to release quota for this waiting ask.
	Preempting bool
	// Grant is set for Granted and Evicting.
	Grant *Grant
}

// Reasons why an ask waits or is refused. They appear as reasons of the condition Admitted.
const (
	ReasonWaitingForQuota      = "WaitingForQuota"
	ReasonQueueHeld            = "QueueHeld"
	ReasonNamespaceNotAllowed  = "NamespaceNotAllowed"
	ReasonExceedsQuota         = "ExceedsQuota"
	ReasonMaxRunning           = "MaxRunning"
	ReasonFlavorMismatch       = "FlavorMismatch"
	ReasonPreempted            = "Preempted"
	ReasonGateNotInstalled     = "GateNotInstalled"
	ReasonWaitingForGate       = "WaitingForGate"
	ReasonReferenceNotFound    = "ReferenceNotFound" // the queue does not exist
	ReasonDelegatedToScheduler = "DelegatedToScheduler"
)

// Grant is quota given to one attempt. It explains itself: the charge is the sum of count × requests over its pod sets.
type Grant struct {
	Run, Attempt int64
	// Gate that gave it, by the name used in the API.
	Gate string
	// Queue that is charged; empty if none is.
	Queue string
	// Ancestors are the queues above Queue when the grant was given, nearest first. Should Queue be deleted, the nearest one that
	// exists is charged. Shared: do not change it.
	Ancestors []string
	// Priority with which the grant was given.
	Priority int32
	// Epoch of the leader that gave it; 0 for gates without a ledger.
	Epoch int64
	// SchedulingGated: executors are created behind a scheduling gate, which is removed up to the grant.
	SchedulingGated bool
	// Part is that of the ask that was granted.
	Part bool
	// Inputs are those of the ask that was granted; empty if that is not known.
	Inputs string
	// Resizes is how often the grant has grown since it was given.
	Resizes int64
	// HoldsFor bounds how long the grant may be held, from when it was given: it passed others that wait because of
	// that bound (Ask.HoldsFor), which may be shortened from then on, but not removed. 0 means no such bound.
	HoldsFor time.Duration
	// PodSets are the base gang first. Those above it follow, one for each flavor.
	PodSets []PodSetGrant
}

// PodSetGrant is the granted part of one pod set.
type PodSetGrant struct {
	Name string
	// Flavor that is charged; empty if none is.
	Flavor string
	Count  int32
	// Requests that each pod is charged.
	Requests Resources
	// NodeSelector and Tolerations that place the pods in the flavor.
	NodeSelector map[string]string
	Tolerations  []corev1.Toleration
	// Labels and Annotations by which another system knows the pods.
	Labels, Annotations map[string]string
	// SchedulerName of the pods; empty leaves it as it is.
	SchedulerName string
	// Elastic: these are above the base gang, came by growth, and may be asked back alone.
	Elastic bool
	// Flavors that pods above the base gang may be placed in, for a set of the base gang that may grow; empty means
	// any.
	Flavors []string
	// SchedulingGates keep the pods from being placed until another system removes them.
	SchedulingGates []string
}
