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
}

// Arrival is one application.
type Arrival struct {
	// At is when it asks for the first time. It is not negative.
	At time.Duration
	// RunFor is how long it runs once it is admitted. It is not negative.
	RunFor time.Duration
	// Ask is what it asks for. Namespace and name are its own; UID, Run, Attempt and QueuedAt are set by Run: of applications that
	// are equal in all else the one that stands first in the scenario goes first.
	Ask queueing.Ask
}

// Change is one change of the configuration. Exactly one field beside At is set.
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
