// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// State is the state of an ask.
type State int

// The states of an ask. The set is closed.
const (
	// Undecided means that the gate has accepted the ask, and will wake the asker once it has evaluated it. There is
	// nothing to report yet.
	Undecided State = iota
	// Waiting means that the gate has evaluated the ask, and that there is not enough quota now. Reason and Message say
	// why; the gate wakes the asker on change.
	Waiting
	// Granted means that Grant holds the quota. It is charged until Release.
	Granted
	// Evicting means that a grant must be released: stop all pods, then call Release.
	Evicting
	// Refused means that the ask can never be granted with the current configuration. Reason and Message say why; the
	// gate wakes the asker on change. With ReasonQueueHeld, this ask was taken out of its queue, and stays out until
	// the asker asks anew.
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
	// Reason is one of the Reason constants. It is empty for Undecided and for Granted, except for Granted with
	// ReasonDelegatedToScheduler: then there may be no quota yet, and the scheduler makes the pods wait for it.
	Reason string
	// Message is a sentence for users. It names what is needed and which limit blocks. It contains no number that
	// changes without a cause, because each change is a write to the API server.
	Message string
	// Preempting is true if other askers must release quota for this waiting ask.
	Preempting bool
	// Grant is set for Granted and Evicting.
	Grant *Grant
}

// Reasons why an ask waits or is refused. They are also reasons of the condition Admitted.
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

// Grant is quota granted to one attempt. It is self-contained: the charge is the sum of count × requests over its pod
// sets.
type Grant struct {
	Run     int64 `json:"run"`
	Attempt int64 `json:"attempt"`
	// Gate is the gate that made the grant, by its name in the API.
	Gate string `json:"gate,omitempty"`
	// Queue is the queue that is charged; empty if none is.
	Queue string `json:"queue,omitempty"`
	// Ancestors are the queues above Queue when the grant was made, nearest first. If Queue is deleted, the nearest
	// existing one is charged. The slice is shared: do not modify it.
	Ancestors []string `json:"ancestors,omitempty"`
	// Priority is the priority with which the grant was made.
	Priority int32 `json:"priority,omitempty"`
	// Epoch is the epoch of the leader that made the grant; 0 for gates without a ledger.
	Epoch int64 `json:"epoch,omitempty"`
	// SchedulingGated is true if the pods of the elastic pod set are created with a scheduling gate, and ungated as far
	// as the grant allows.
	SchedulingGated bool `json:"schedulingGated,omitempty"`
	// Part is Ask.Part of the ask that was granted.
	Part bool `json:"part,omitempty"`
	// Inputs is Ask.Inputs of the ask that was granted; empty if unknown.
	Inputs string `json:"inputs,omitempty"`
	// Resizes counts how often the grant has grown since it was made.
	Resizes int64 `json:"resizes,omitempty"`
	// HoldsFor bounds how long the grant may be held after it was made, because it overtook waiting asks on the
	// strength of Ask.HoldsFor. The bound may be shortened later, but not removed. 0 means no such bound.
	HoldsFor time.Duration `json:"holdsFor,omitempty"`
	// PodSets are the base gang, followed by the pod sets above it, one for each flavor.
	PodSets []PodSetGrant `json:"podSets,omitempty"`
}

// MayResize reports whether the grant may have grown: its pods wait for quota, or it has grown because more were started.
func (g Grant) MayResize() bool { return g.SchedulingGated || g.Resizes > 0 }

// PodSetGrant is the granted part of one pod set.
type PodSetGrant struct {
	Name string `json:"name"`
	// Flavor is the flavor that is charged; empty if none is.
	Flavor string `json:"flavor,omitempty"`
	Count  int32  `json:"count"`
	// Requests are charged for each pod.
	Requests Resources `json:"requests,omitempty"`
	// NodeSelector and Tolerations place the pods in the flavor.
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	// Labels and Annotations let another system recognize the pods.
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	// SchedulerName is the scheduler of the pods; empty leaves it unchanged.
	SchedulerName string `json:"schedulerName,omitempty"`
	// Elastic is true for pods above the base gang, which were added by growth and may be reclaimed by themselves.
	Elastic bool `json:"elastic,omitempty"`
	// Flavors are those in which pods above the base gang may be placed, if this is a pod set of the base gang that may
	// grow; empty means any.
	Flavors []string `json:"flavors,omitempty"`
	// SchedulingGates keep the pods from being scheduled until another system removes them.
	SchedulingGates []string `json:"schedulingGates,omitempty"`
}
