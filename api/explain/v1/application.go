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
	// Waiting: there is no room now, or nobody is admitted.
	Waiting State = "Waiting"
	// Granted: it holds room.
	Granted State = "Granted"
	// Evicting: it has to give its room back.
	Evicting State = "Evicting"
	// Refused: it can never be admitted as things stand.
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
	// Holds is the room that it holds; absent if it holds none.
	Holds *Hold `json:"holds,omitempty"`
	// NotLive says why this is what the status of the objects says, and not the live view. The endpoint never sets it.
	NotLive string `json:"notLive,omitempty"`
}

// Wait is the place of an ask in line, and what is in its way.
type Wait struct {
	Run      int64 `json:"run"`
	Attempt  int64 `json:"attempt"`
	Priority int32 `json:"priority"`
	// Since when it waits in line; a preempted one keeps its place.
	Since *metav1.Time `json:"since,omitempty"`
	// PodSets that are asked for.
	PodSets []PodSet `json:"podSets,omitempty"`
	// Position in the queue from 1; absent if it is not in line, because it cannot be admitted as things stand.
	Position int `json:"position,omitempty"`
	// InLine is how many are in line in this queue.
	InLine int `json:"inLine,omitempty"`
	// Ahead are those directly before it, at most five, the last of them directly before it.
	Ahead []Head `json:"ahead,omitempty"`
	// KeptFor are those for whom the room is kept that is free.
	KeptFor []Head `json:"keptFor,omitempty"`
	// Needs are what it needs at least, in the first flavors that its pods may be placed in.
	Needs []Need `json:"needs,omitempty"`
	// Unblock are sentences for people: what has to happen so that it is admitted.
	Unblock []string `json:"unblock,omitempty"`
}

// Head is an application in line. Without the right to read the queue, namespace and name of those in other namespaces are absent.
type Head struct {
	Position  int    `json:"position,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Priority  int32  `json:"priority"`
}

// Need is what is needed at least of one resource, and what there is.
type Need struct {
	Resource string            `json:"resource"`
	Flavor   string            `json:"flavor"`
	Need     resource.Quantity `json:"need"`
	// Free is what the queue could use now, borrowing included, negative above quota; Most what it could ever hold. Absent without limit.
	Free *resource.Quantity `json:"free,omitempty"`
	Most *resource.Quantity `json:"most,omitempty"`
	// Missing is what Free lacks; absent if it is enough.
	Missing *resource.Quantity `json:"missing,omitempty"`
	// InTheWay are the limits that leave too little: of the queue and of those above it, from there upward.
	InTheWay []Obstacle `json:"inTheWay,omitempty"`
}

// Obstacle is a limit that leaves too little room.
type Obstacle struct {
	Queue string `json:"queue"`
	// Used is what counts against Limit.
	Used  resource.Quantity `json:"used"`
	Limit resource.Quantity `json:"limit"`
	// Missing is what has to be given back there.
	Missing resource.Quantity `json:"missing"`
}

// PodSet is a number of equal pods.
type PodSet struct {
	Name  string `json:"name"`
	Count int32  `json:"count"`
	// MinCount is with how many it can start; absent if it needs all.
	MinCount int32 `json:"minCount,omitempty"`
	// Above: they are above the base gang, and go first when others take room back.
	Above bool `json:"above,omitempty"`
	// Flavor in which they are placed; absent while they wait.
	Flavor string `json:"flavor,omitempty"`
	// Requests of each pod.
	Requests map[string]resource.Quantity `json:"requests,omitempty"`
}

// Hold is room that is held.
type Hold struct {
	Run      int64    `json:"run"`
	Attempt  int64    `json:"attempt"`
	Priority int32    `json:"priority"`
	PodSets  []PodSet `json:"podSets,omitempty"`
	// Leaving: it is given back before long, because its pods end or are being stopped.
	Leaving bool `json:"leaving,omitempty"`
	// WantedBack is why it is asked back; absent while it may be kept.
	WantedBack *WantedBack `json:"wantedBack,omitempty"`
	// More is how many executors above its base gang wait behind their scheduling gates, and MoreWhy why they do.
	More    int32  `json:"more,omitempty"`
	MoreWhy string `json:"moreWhy,omitempty"`
	// Reclaim are executors above its base gang that have to end.
	GiveBack []GiveBack `json:"giveBack,omitempty"`
}

// Reclaim is a number of executors that have to end because somebody takes their room.
type GiveBack struct {
	Flavor  string `json:"flavor,omitempty"`
	Count   int32  `json:"count"`
	Message string `json:"message"`
}

// WantedBack is why room is asked back.
type WantedBack struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
