// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State is the state of an application at its gate.
type State string

// The states. All but the last are those of a gate's verdict.
const (
	// Undecided: the queue has the ask but has not looked at it yet.
	Undecided State = "Undecided"
	// Waiting: there is not enough quota, or the queue admits nothing.
	Waiting State = "Waiting"
	// Granted: the application holds quota.
	Granted State = "Granted"
	// Evicting: the application has to release its quota.
	Evicting State = "Evicting"
	// Refused: the application can never be admitted with the current configuration.
	Refused State = "Refused"
	// Absent: the application requests and holds nothing in a queue.
	Absent State = "Absent"
)

// Application is the live view of an application.
type Application struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// Stage is the reason of the condition Ready, StageMessage its message.
	Stage        string `json:"stage,omitempty"`
	StageMessage string `json:"stageMessage,omitempty"`
	// Queue is the queue that it asks, or whose quota it holds.
	Queue string `json:"queue,omitempty"`
	State State  `json:"state"`
	// Reason and Message explain the state, as in the condition Admitted.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Waits is what it asks for; absent if it asks for nothing.
	Waits *Wait `json:"waits,omitempty"`
	// Holds is the quota that it holds; absent if it holds none.
	Holds *Hold `json:"holds,omitempty"`
	// NotLive is why this is what the status of the objects says instead of the live view. The endpoint never sets it.
	NotLive string `json:"notLive,omitempty"`
}

// Wait is the place of an ask in its queue, and what blocks it.
type Wait struct {
	Run      int64 `json:"run"`
	Attempt  int64 `json:"attempt"`
	Priority int32 `json:"priority"`
	// Since is when it began to wait in the queue. A preempted application keeps its place.
	Since *metav1.Time `json:"since,omitempty"`
	// PodSets are what it asks for.
	PodSets []PodSet `json:"podSets,omitempty"`
	// Position is the place in the queue, from 1. It is absent if the ask has no place, because it cannot be admitted
	// with the current configuration.
	Position int `json:"position,omitempty"`
	// InLine is the number of applications with a place in this queue.
	InLine int `json:"inLine,omitempty"`
	// Ahead are the applications before it, at most five. The last one is directly before it.
	Ahead []Head `json:"ahead,omitempty"`
	// ReservedFor are the applications for which the free quota is reserved.
	ReservedFor []Head `json:"reservedFor,omitempty"`
	// Needs are the minimum that it requires, in the first flavors in which its pods may be placed.
	Needs []Need `json:"needs,omitempty"`
	// Remedies are messages for users about what would let it be admitted.
	Remedies []string `json:"remedies,omitempty"`
}

// Head is an ask with a place in the queue. Without the right to read the queue, kind, namespace and name of
// applications in other namespaces are absent.
type Head struct {
	Position  int    `json:"position,omitempty"`
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Priority  int32  `json:"priority"`
}

// Need is the minimum that is required of one resource, and what is available.
type Need struct {
	Resource string            `json:"resource"`
	Flavor   string            `json:"flavor"`
	Required resource.Quantity `json:"required"`
	// Available is what the queue could use now, including what it can borrow; it is negative if usage is above quota.
	// Max is what it could hold if nothing else ran. Both are absent if there is no limit.
	Available *resource.Quantity `json:"available,omitempty"`
	Max       *resource.Quantity `json:"max,omitempty"`
	// Missing is the difference between Required and Available; absent if enough is available.
	Missing *resource.Quantity `json:"missing,omitempty"`
	// BlockedBy are the limits that leave too little quota, of the queue and of its ancestors, from the queue upward.
	BlockedBy []BlockingLimit `json:"blockedBy,omitempty"`
}

// BlockingLimit is a limit that leaves too little quota.
type BlockingLimit struct {
	Queue string `json:"queue"`
	// Used is what counts against Limit.
	Used  resource.Quantity `json:"used"`
	Limit resource.Quantity `json:"limit"`
	// Missing is what has to be released there.
	Missing resource.Quantity `json:"missing"`
}

// PodSet is a number of equal pods.
type PodSet struct {
	Name  string `json:"name"`
	Count int32  `json:"count"`
	// MinCount is the number of pods with which it can start; absent if it needs all.
	MinCount int32 `json:"minCount,omitempty"`
	// Elastic is true for executors above the base gang, which are the first to end if quota is reclaimed.
	Elastic bool `json:"elastic,omitempty"`
	// Flavor is the flavor in which they are placed; absent while they wait.
	Flavor string `json:"flavor,omitempty"`
	// Requests are the requests of each pod.
	Requests map[string]resource.Quantity `json:"requests,omitempty"`
}

// Hold is quota that is held.
type Hold struct {
	Run      int64    `json:"run"`
	Attempt  int64    `json:"attempt"`
	Priority int32    `json:"priority"`
	PodSets  []PodSet `json:"podSets,omitempty"`
	// Terminating is true if the quota will be released soon, because its pods have ended or are being stopped.
	Terminating bool `json:"terminating,omitempty"`
	// Eviction is why it has to be released; absent if it does not.
	Eviction *Eviction `json:"eviction,omitempty"`
	// SchedulingGated is the number of executors above its base gang that wait behind their scheduling gates, and
	// SchedulingGatedMessage is why they wait.
	SchedulingGated        int32  `json:"schedulingGated,omitempty"`
	SchedulingGatedMessage string `json:"schedulingGatedMessage,omitempty"`
	// Reclaims are executors above its base gang that must end.
	Reclaims []Reclaim `json:"reclaims,omitempty"`
}

// Reclaim is a number of executors that must end because their quota is reclaimed for others.
type Reclaim struct {
	Flavor  string `json:"flavor,omitempty"`
	Count   int32  `json:"count"`
	Message string `json:"message"`
}

// Eviction is why quota has to be released.
type Eviction struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
