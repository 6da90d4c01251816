// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// AheadShown is the maximum number of asks listed in PendingAsk.Ahead.
const AheadShown = 5

// Explanation is the live view of one asker, for users. It changes with every decision, so it must not be written into
// a status.
type Explanation struct {
	Queue string
	// State, Reason and Message are the verdict.
	State           queueing.State
	Reason, Message string
	// Pending is the pending ask; nil if there is none.
	Pending *PendingAsk
	// Holding is the grant; nil if there is none.
	Holding *HeldGrant
}

// PendingAsk is a pending ask with its position and what blocks it.
type PendingAsk struct {
	Run, Attempt int64
	Priority     int32
	QueuedAt     time.Time
	PodSets      []queueing.PodSet
	// Position is the position in the queue, from 1 to InLine; 0 if the ask is inadmissible with the current
	// configuration.
	Position, InLine int
	// Ahead lists the asks directly before this one in order, AheadShown at most.
	Ahead []Head
	// ReservedFor lists the asks for which free quota is reserved.
	ReservedFor []Head
	// Needs are the minimum needs of the ask, in its preferred placement.
	Needs []Need
	// Remedies are sentences for users about what must happen so that the ask is admitted. They name no other asker.
	Remedies []string
}

// Need is the minimum need of an ask for one resource, and the quota that there is.
type Need struct {
	Flavor, Resource string
	Need             int64
	// Available is what the queue could use now, negative above quota. Most is the most that it could ever hold. Both
	// may be quota.Unlimited.
	Available, Most int64
	// Missing is the part of Need that exceeds Available.
	Missing int64
	// BlockedBy are the limits that leave too little quota, from the queue upward.
	BlockedBy []BlockingLimit
}

// BlockingLimit is a limit that leaves too little quota.
type BlockingLimit struct {
	Queue string
	// Used is the usage that counts against Limit. Limit is the most that this queue's own limits allow.
	Used, Limit int64
	// Missing is how much must be released in this queue, or by how much the limit must be raised.
	Missing int64
}

// HeldGrant is a grant that is charged.
type HeldGrant struct {
	Run, Attempt int64
	Priority     int32
	// PodSets are shared with the engine: do not modify them.
	PodSets []queueing.PodSetGrant
	// Terminating is true if the grant will be released anyway.
	Terminating bool
	// Eviction is why the grant must be released; nil if it may be kept.
	Eviction *queueing.Eviction
	// Wants is the number of additional pods that the holder wants. Why is the reason that it does not have them.
	Wants int32
	Why   string
	// Reclaims are the pods above the base gang that must end.
	Reclaims []queueing.Reclaim
}

// QueueExplanation is the live view of a queue, for users.
type QueueExplanation struct {
	QueueState
	// AtMaxRunning is the queue that has reached its maxRunning, this one or the nearest above it; empty if there is
	// none.
	AtMaxRunning string
	// Headroom has one element for each element of Usage.
	Headroom []Headroom
	// ReservedFor lists the head of this queue if quota is reserved for it because it has waited too long.
	ReservedFor []Head
}

// Headroom is how much more a queue may use of a resource in a flavor.
type Headroom struct {
	// Available is what the queue could use now, negative above quota. Most is the most that it could ever hold. Both
	// may be quota.Unlimited.
	Available, Most int64
}

// Head is one pending asker.
type Head struct {
	Key      queueing.Key
	Priority int32
}

// QueueState is the current state of a queue, for its status.
type QueueState struct {
	Name   string
	Parent string
	// Root is the root of the queue's tree.
	Root string
	// Leaf is true if the queue has no children, so that it admits askers.
	Leaf bool
	// StoppedBy is the nearest drained queue, this one or one above it, else the nearest held one; empty if none is
	// stopped. Stop is StopHoldAndDrain or StopHold accordingly, or empty.
	StoppedBy string
	Stop      config.StopPolicy
	// Problem is ParentNotFound, Cycle, NoQuota, or empty. With a problem nothing is admitted, and Message explains it.
	Problem string
	Message string
	// MissingFlavors are flavors that the queue names and that do not exist, in the queue's order. AllMissing is true
	// if it names no others. If the queue names no flavors, they are those of FlavorsOf, the nearest queue above it
	// that does, provided that all of these are missing.
	MissingFlavors []string
	AllMissing     bool
	FlavorsOf      string
	// Pending and Admitted count the askers of this queue and of those below it.
	Pending, Admitted int32
	// Kinds has the same counts by kind, those of parts (queueing.Ask.Part) included. Kinds without any are left out.
	Kinds map[string]Count
	// Waiting counts the pending asks of this queue alone by the reason of their verdict. The keys are reasons of
	// package queueing, or Undecided for asks that no Cycle has evaluated.
	Waiting map[string]int32
	// Share is what the queue borrows in relation to what its parent could have, divided by the queue's weight (see
	// quota.Share). It is infinite if the parent could have nothing, and nil for a root.
	Share *float64
	// Usage is the usage of this queue and those below it, ordered by flavor and resource.
	Usage []Usage
	// ElasticPods counts the pods above the base gangs of holders in this queue and those below it, WantedPods the pods
	// that these holders want in addition.
	ElasticPods, WantedPods int32
	// Heads are the first pending asks of this queue alone, without inadmissible ones.
	Heads []Head
}
