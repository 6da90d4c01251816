// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"reflect"
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
)

// System is a gate under test with its environment. Start and Ask are required. A system that lacks another function
// must say why in Cannot, under the name of the field.
//
// All functions are called one after the other, and return when their action is complete. The suite waits for the gate
// to notice it.
type System struct {
	// Name is the name of the gate in the API.
	Name string
	// Start returns a new gate for the current state of the cluster, as a newly started operator has it. The previous
	// gate has ended by then.
	Start func(t *testing.T, past Past) queueing.Gate
	// Ask returns the ask of the first attempt of a new asker, as NewAsk does. The suite turns every second one into
	// one of a kind that no gate can know.
	Ask func(t *testing.T, name string) queueing.Ask

	// SetQuota sets the total quota to this many gangs of the size of Ask, including those that hold quota already.
	SetQuota func(t *testing.T, gangs int)
	// Impossible changes an ask into one that can never be granted with the current quota.
	Impossible func(t *testing.T, ask *queueing.Ask)
	// Lose changes an ask into one for a queue that does not exist.
	Lose func(t *testing.T, ask *queueing.Ask)
	// Evict makes the other system reclaim the quota of a granted ask.
	Evict func(t *testing.T, ask queueing.Ask)
	// Explain returns what the gate tells users about a pending ask.
	Explain func(t *testing.T, key queueing.Key) string
	// Restart stops the other system and starts it again.
	Restart func(t *testing.T)
	// Exists reports whether the gate's object for an ask exists.
	Exists func(t *testing.T, ask queueing.Ask) bool
	// Delete deletes that object as another client that is allowed to.
	Delete func(t *testing.T, ask queueing.Ask)
	// Occupy creates an object of another owner under the name that the gate needs, and Vacate deletes it. Occupied
	// reports whether it still exists unchanged.
	Occupy, Vacate func(t *testing.T, ask queueing.Ask)
	Occupied       func(t *testing.T, ask queueing.Ask) bool
	// Uninstall removes the kinds of the other system with all their objects. Install brings them back, with queues and
	// quota.
	Uninstall, Install func(t *testing.T)

	// Cannot says why functions are missing, by the name of the field.
	Cannot map[string]string
}

// Past is what a new gate learns about the previous operator.
type Past struct {
	// Waker makes askers look at their verdicts again.
	Waker queueing.Waker
	// Held are the grants in the status of askers.
	Held map[queueing.Key]queueing.Grant
	// Waiting are the askers that ask and hold nothing.
	Waiting []queueing.Key
}

// lacks returns the first of these functions that the system does not have, and the reason; empty if it has all of
// them.
func (s *System) lacks(t *testing.T, functions []string) (name, why string) {
	t.Helper()
	for _, name := range functions {
		if !reflect.ValueOf(s).Elem().FieldByName(name).IsNil() {
			continue
		}
		if why = s.Cannot[name]; why == "" {
			t.Fatalf("the system has no function %s and does not say why in Cannot", name)
		}
		return name, why
	}
	return "", ""
}
