// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Scenario is what there is at the beginning and what happens. Run does not change it.
type Scenario struct {
	// Queues and Flavors are the configuration at the time 0.
	Queues  []embedded.QueueConfig
	Flavors []embedded.FlavorConfig
	// Arrivals and Changes in any order. Those of one instant take place in the order in which they stand here.
	Arrivals []Arrival
	Changes  []Change
	// Schedules create applications while the scenario is played. They are asked in this order.
	Schedules []Schedule
}

// Schedule creates applications, and deletes them, in answer to what becomes of them.
type Schedule interface {
	// Name identifies it in events and in the summary.
	Name() string
	// Step returns what it does now. It is called at the time 0, at the time that it has returned last, and whenever
	// applications that it has created have finished or were deleted: ended are their names. refused reports whether
	// one that waits could never be admitted as things are. Time never goes back.
	Step(now time.Duration, ended []queueing.Key, refused func(queueing.Key) bool) Step
}

// Step is what a schedule does at one instant.
type Step struct {
	// Create are new applications, which arrive now whatever their At is. No other application has their namespace and
	// name.
	Create []Creation
	// Delete are applications that it has created and that have not ended. They are gone at once, and Step is called
	// again.
	Delete []Deletion
	// PassedOver are runs that it does not create.
	PassedOver []PassedOver
	// Look is when to ask it again, after now; 0 if only an end of its applications makes a difference.
	Look time.Duration
}

// Creation is an application that a schedule creates.
type Creation struct {
	Arrival
	// For is the time at which it was due, as people write it.
	For string
}

// Deletion is an application that a schedule deletes.
type Deletion struct {
	Key queueing.Key
	// By is the application for which it is deleted.
	By queueing.Key
}

// PassedOver is a run that a schedule does not create.
type PassedOver struct {
	Key queueing.Key
	// Queue that it would have asked, and For the time at which it was due.
	Queue, For string
	// Reason is a word of the API, Message a sentence; it may be empty.
	Reason, Message string
}

// Arrival is one application.
type Arrival struct {
	// At is when it asks for the first time. It is not negative.
	At time.Duration
	// RunFor is how long it runs once it is admitted. It is not negative.
	RunFor time.Duration
	// Ask is what it asks for. Namespace and name are its own; UID, Run, Attempt and QueuedAt are set by Run: of
	// applications that are equal in all else the one that stands first in the scenario goes first.
	Ask queueing.Ask
}

// Change is one change of the configuration. Exactly one field besides At is set.
type Change struct {
	// At is when it happens. It is not negative.
	At time.Duration
	// Queue is added, or replaces the one of that name. DeleteQueue is the name of one that goes.
	Queue       *embedded.QueueConfig
	DeleteQueue string
	// Flavor is added, or replaces the one of that name. DeleteFlavor is the name of one that goes.
	Flavor       *embedded.FlavorConfig
	DeleteFlavor string
}
