// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
)

// AheadShown is how many of those before an ask an Explanation lists.
const AheadShown = 5

// Explanation is the live view of one application, for people: it changes with every decision and belongs in no status.
type Explanation struct {
	Queue string
	// State, Reason and Message are the verdict.
	State           queueing.State
	Reason, Message string
	// Pending is what is asked for; nil if nothing is.
	Pending *PendingAsk
	// Holding is what is held; nil if nothing is.
	Holding *HeldGrant
}

// PendingAsk is a pending ask with its position and what blocks it.
type PendingAsk struct {
	Run, Attempt int64
	Priority     int32
	QueuedAt     time.Time
	PodSets      []queueing.PodSet
	// Position in the queue from 1, of InLine; 0 if the ask is inadmissible with the current configuration.
	Position, InLine int
	// Ahead are those directly before it, at most AheadShown, in order.
	Ahead []Head
	// ReservedFor lists the asks for which the free quota is reserved.
	ReservedFor []Head
	// Needs are what it needs at least, in the placement that it would have first.
	Needs []Need
	// Remedies are sentences for people: what has to happen so that it is admitted. They name no other application.
	Remedies []string
}

// Need is what an ask needs at least of one resource, and what there is.
type Need struct {
	Flavor, Resource string
	Need             int64
	// Available is what the queue could use now, negative above quota; Most what it could ever hold. Both may be
	// quota.Unlimited.
	Available, Most int64
	// Missing is what Available lacks.
	Missing int64
	// BlockedBy are the limits that leave too little, of the queue or of those above it, from there upward.
	BlockedBy []BlockingLimit
}

// BlockingLimit is a limit that leaves too little quota.
type BlockingLimit struct {
	Queue string
	// Used is what counts against Limit, the most that the limits of this queue alone allow.
	Used, Limit int64
	// Missing is how much must be released there, or by how much the limit must be raised.
	Missing int64
}

// HeldGrant is a grant that is charged.
type HeldGrant struct {
	Run, Attempt int64
	Priority     int32
	// PodSets are shared with the engine: do not change them.
	PodSets []queueing.PodSetGrant
	// Terminating reports that the grant is about to be released anyway.
	Terminating bool
	// Eviction is why the grant must be released; nil while it may be kept.
	Eviction *queueing.Eviction
	// Wants counts the pods that the holder wants in addition, and Why is why it does not have them.
	Wants int32
	Why   string
	// Reclaims are the pods above its base gang that must end.
	Reclaims []queueing.Reclaim
}

// QueueExplanation is the live view of a queue, for people.
type QueueExplanation struct {
	QueueState
	// AtMaxRunning is the queue, this one or the nearest above it, that has reached its maxRunning; empty if there is none.
	AtMaxRunning string
	// Headroom is what the queue could use now, for each Usage.
	Headroom []Headroom
	// ReservedFor is the head of this queue if quota is reserved for it because it has waited too long.
	ReservedFor []Head
}

// Headroom is how much more a queue may use.
type Headroom struct {
	// Available is what it could use now, negative above quota; Most what it could ever hold. Both may be
	// quota.Unlimited.
	Available, Most int64
}

// Head is one pending application.
type Head struct {
	Key      queueing.Key
	Priority int32
}

// QueueState is what a queue holds at the moment, for its status.
type QueueState struct {
	Name   string
	Parent string
	// Root of the tree that the queue is in.
	Root string
	// Leaf queues take applications.
	Leaf bool
	// StoppedBy is the queue, this one or the nearest above it, that is drained, else held; empty if none is. Stop is
	// StopHoldAndDrain or StopHold; empty if none is.
	StoppedBy string
	Stop      StopPolicy
	// Problem is empty, ParentNotFound, Cycle or NoQuota: with a problem nothing is admitted. Message explains it.
	Problem string
	Message string
	// MissingFlavors are those that the queue names and that do not exist, in its order. AllMissing: it names no other. Where
	// it names none, they are those of FlavorsOf, the nearest queue above it that names some, if all of these are missing.
	MissingFlavors []string
	AllMissing     bool
	FlavorsOf      string
	// Pending and Admitted count the applications of this queue and of those below it.
	Pending, Admitted int32
	// Pods that belong to no application, of this queue and of those below it. Their drivers count as applications,
	// too.
	Pods PodCount
	// Waiting counts the pending asks of this very queue by the reason of their verdict: one of the reasons of
	// package queueing, or Undecided for asks that no Cycle has evaluated.
	Waiting map[string]int32
	// Share is what the queue borrows in relation to what its parent could have, divided by its weight (see
	// quota.Share): infinite where that could have nothing, nil for a root.
	Share *float64
	// Usage by flavor and resource, of this queue and those below it, in the order of the names.
	Usage []Usage
	// ElasticPods counts the pods above the base gangs of holders in this queue and those below it, and WantedPods
	// those that are wanted in addition.
	ElasticPods, WantedPods int32
	// Heads are the first pending asks of this queue (not of those below it), without inadmissible ones.
	Heads []Head
}
