// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// State is where an application stands at its gate.
type State string

// The states. All but the last are those of a gate's verdict.
const (
	// Undecided: the queue has taken the ask and has not looked at it yet.
	Undecided State = "Undecided"
	// Waiting: there is not enough quota, or the queue admits nothing.
	Waiting State = "Waiting"
	// Granted: it holds quota.
	Granted State = "Granted"
	// Evicting: it has to release its quota.
	Evicting State = "Evicting"
	// Refused: it can never be admitted with the current configuration.
	Refused State = "Refused"
	// Absent: it requests nothing and holds nothing in a queue.
	Absent State = "Absent"
)

// Application is the live view of one application.
type Application struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
	// Stage is the reason of the condition Ready, StageMessage its message.
	Stage        string `json:"stage,omitempty"`
	StageMessage string `json:"stageMessage,omitempty"`
	// Queue that it asks or holds something of.
	Queue string `json:"queue,omitempty"`
	State State  `json:"state"`
	// Reason and Message of the state, as in the condition Admitted.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Waits is what it asks for; absent if it asks for nothing.
	Waits *Wait `json:"waits,omitempty"`
	// Holds is the quota that it holds; absent if it holds none.
	Holds *Hold `json:"holds,omitempty"`
	// NotLive says why this is what the status of the objects says, and not the live view. The endpoint never sets it.
	NotLive string `json:"notLive,omitempty"`
}

// Wait is the position of an ask in its queue, and what blocks it.
type Wait struct {
	Run      int64 `json:"run"`
	Attempt  int64 `json:"attempt"`
	Priority int32 `json:"priority"`
	// Since when it waits in line; a preempted one keeps its place.
	Since *metav1.Time `json:"since,omitempty"`
	// PodSets that are asked for.
	PodSets []PodSet `json:"podSets,omitempty"`
	// Position in the queue from 1; absent if it is not in line, because it cannot be admitted with the current
	// configuration.
	Position int `json:"position,omitempty"`
	// InLine is the number of applications in line in this queue.
	InLine int `json:"inLine,omitempty"`
	// Ahead are the applications before it, at most five; the last one is directly before it.
	Ahead []Head `json:"ahead,omitempty"`
	// ReservedFor are the applications for which the free quota is reserved.
	ReservedFor []Head `json:"reservedFor,omitempty"`
	// Needs are the minimum that it requires, in the first flavors that its pods may be placed in.
	Needs []Need `json:"needs,omitempty"`
	// Remedies are messages for users: what would let it be admitted.
	Remedies []string `json:"remedies,omitempty"`
}

// Head is an application in line. Without the right to read the queue, namespace and name of those in other namespaces
// are absent.
type Head struct {
	Position  int    `json:"position,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Priority  int32  `json:"priority"`
}

// Need is the minimum that is required of one resource, and what is available.
type Need struct {
	Resource string            `json:"resource"`
	Flavor   string            `json:"flavor"`
	Required resource.Quantity `json:"required"`
	// Available is what the queue could use now, borrowing included, negative above quota; Max is what it could hold if
	// nothing else ran. Absent without limit.
	Available *resource.Quantity `json:"available,omitempty"`
	Max       *resource.Quantity `json:"max,omitempty"`
	// Missing is what Available lacks; absent if it is enough.
	Missing *resource.Quantity `json:"missing,omitempty"`
	// BlockedBy are the limits that leave too little: of the queue and of its ancestors, from the queue upward.
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
	// MinCount is the number with which it can start; absent if it needs all.
	MinCount int32 `json:"minCount,omitempty"`
	// Elastic: they are above the base gang, and the first to end when quota is reclaimed.
	Elastic bool `json:"elastic,omitempty"`
	// Flavor in which they are placed; absent while they wait.
	Flavor string `json:"flavor,omitempty"`
	// Requests of each pod.
	Requests map[string]resource.Quantity `json:"requests,omitempty"`
}

// Hold is quota that is held.
type Hold struct {
	Run      int64    `json:"run"`
	Attempt  int64    `json:"attempt"`
	Priority int32    `json:"priority"`
	PodSets  []PodSet `json:"podSets,omitempty"`
	// Terminating: it will be released soon, because its pods have ended or are being stopped.
	Terminating bool `json:"terminating,omitempty"`
	// Eviction is why it has to be released; absent while it may be kept.
	Eviction *Eviction `json:"eviction,omitempty"`
	// SchedulingGated is how many executors above its base gang wait behind their scheduling gates, and
	// SchedulingGatedMessage why they do.
	SchedulingGated        int32  `json:"schedulingGated,omitempty"`
	SchedulingGatedMessage string `json:"schedulingGatedMessage,omitempty"`
	// Reclaim are executors above its base gang that must end.
	Reclaims []Reclaim `json:"reclaims,omitempty"`
}

// Reclaim is a number of executors that must end because their quota is taken for others.
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
