// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"maps"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// Scenario is the initial configuration and everything that happens. Run does not modify it.
type Scenario struct {
	// Queues and Flavors are the configuration at time 0.
	Queues  []config.Queue
	Flavors []config.Flavor
	// Arrivals and Changes may be in any order. Those at the same instant happen in the order given here.
	Arrivals []Arrival
	Changes  []Change
	// Schedules create askers during the simulation. They are called in this order.
	Schedules []Schedule
}

// Schedule creates and deletes askers, depending on what happens to them.
type Schedule interface {
	// Name identifies the schedule in events and in the summary.
	Name() string
	// Step returns what the schedule does now. It is called at time 0, at the time in the last result, and whenever
	// askers that it has created have finished or were deleted; ended are their keys. refused reports whether one of
	// its pending askers can never be admitted with the current configuration. now never decreases.
	Step(now time.Duration, ended []queueing.Key, refused func(queueing.Key) bool) Step
}

// Step is what a schedule does at one instant.
type Step struct {
	// Create are new askers, which arrive now regardless of their At. Their namespace and name must be unique.
	Create []Creation
	// Delete are askers of the schedule that have not ended. They are gone immediately, and Step is called again.
	Delete []Deletion
	// PassedOver are runs that the schedule does not create.
	PassedOver []PassedOver
	// Look is when to call Step again, later than now; 0 if only the end of its askers makes a difference.
	Look time.Duration
}

// Creation is an asker that a schedule creates.
type Creation struct {
	Arrival
	// For is the time at which the run was due, formatted for users.
	For string
}

// Deletion is an asker that a schedule deletes.
type Deletion struct {
	Key queueing.Key
	// By is the asker in favour of which it is deleted.
	By queueing.Key
}

// PassedOver is a run that a schedule does not create.
type PassedOver struct {
	Key queueing.Key
	// Queue is the queue that the run would have asked, and For the time at which it was due.
	Queue, For string
	// Reason is a reason of the API. Message is a sentence and may be empty.
	Reason, Message string
}

// Arrival is one asker.
type Arrival struct {
	// At is when the asker asks for the first time. It must not be negative.
	At time.Duration
	// RunFor is how long the asker runs once it is admitted. It must not be negative, and not exceed the HoldsFor of the
	// ask, if that is set.
	RunFor time.Duration
	// Ask is the ask of the asker. Its namespace and name must be unique. UID, Run, Attempt and QueuedAt are set by
	// Run, so that among otherwise equal askers the first one in the scenario comes first.
	Ask queueing.Ask
}

// Change is one change of the configuration. Exactly one field besides At is set.
type Change struct {
	// At is when the change happens. It must not be negative.
	At time.Duration
	// Queue is added, or replaces the queue with this name. DeleteQueue is the name of a queue to delete.
	Queue       *config.Queue
	DeleteQueue string
	// Flavor is added, or replaces the flavor with this name. DeleteFlavor is the name of a flavor to delete.
	Flavor       *config.Flavor
	DeleteFlavor string
}

// configuration is the current configuration, by name.
type configuration struct {
	queues  map[string]config.Queue
	flavors map[string]config.Flavor
}

func newConfiguration(s Scenario) configuration {
	at := configuration{queues: map[string]config.Queue{}, flavors: map[string]config.Flavor{}}
	for _, q := range s.Queues {
		at.queues[q.Name] = q
	}
	for _, f := range s.Flavors {
		at.flavors[f.Name] = f
	}
	return at
}

// apply applies one change. Deleting something that does not exist changes nothing.
func (s configuration) apply(c Change) {
	if c.Queue != nil {
		s.queues[c.Queue.Name] = *c.Queue
	}
	if c.Flavor != nil {
		s.flavors[c.Flavor.Name] = *c.Flavor
	}
	delete(s.queues, c.DeleteQueue)
	delete(s.flavors, c.DeleteFlavor)
}

// sorted returns the values in the order of their names. The slice is new, so the engine may keep it.
func sorted[T any](byName map[string]T) []T {
	out := make([]T, 0, len(byName))
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, byName[name])
	}
	return out
}
