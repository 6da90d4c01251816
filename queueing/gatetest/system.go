// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gatetest

import (
	"reflect"
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
)

// System is a gate under test with the world that it decides with. Start and Ask are required. A system that lacks
// another function says why in Cannot, under the name of the field.
//
// All functions are called one after the other, and return when what they do has been done; that the gate has noticed
// is waited for by the suite.
type System struct {
	// Name of the gate in the API.
	Name string
	// Start returns a new gate over what the cluster holds now, as an operator has it that was just started. The gate
	// that was returned before has ended by then.
	Start func(t *testing.T, past Past) queueing.Gate
	// Ask is what the first attempt of a new application asks for: one gang, with more than one executor.
	Ask func(t *testing.T, application string) queueing.Ask

	// SetQuota sets the quota to so many gangs as Ask asks for, those that hold some already included.
	SetQuota func(t *testing.T, gangs int)
	// Impossible changes an ask into one that can never be granted with the current quota.
	Impossible func(t *testing.T, ask *queueing.Ask)
	// Lose changes an ask into one of a queue that does not exist.
	Lose func(t *testing.T, ask *queueing.Ask)
	// Evict makes the other system want the quota of an ask back that was granted.
	Evict func(t *testing.T, ask queueing.Ask)
	// Restart ends the other system and starts it again.
	Restart func(t *testing.T)
	// Exists reports whether what the gate creates for an ask exists.
	Exists func(t *testing.T, ask queueing.Ask) bool
	// Delete deletes that, as another client that may.
	Delete func(t *testing.T, ask queueing.Ask)
	// Occupy creates an object of another owner where the gate will want its own, and Vacate deletes it. Occupied says
	// whether it still exists as it was created.
	Occupy, Vacate func(t *testing.T, ask queueing.Ask)
	Occupied       func(t *testing.T, ask queueing.Ask) bool
	// Uninstall takes away the kinds of the other system with all their objects, and Install brings them back, with
	// queues and quota.
	Uninstall, Install func(t *testing.T)

	// Cannot says why a function is missing.
	Cannot map[string]string
}

// Past is what a gate that starts learns of the operator before it.
type Past struct {
	// Waker makes applications look at their verdicts again.
	Waker queueing.Waker
	// Held are the grants that are in the status of applications.
	Held map[queueing.Key]queueing.Grant
	// Waiting are the applications that ask and hold nothing.
	Waiting []queueing.Key
}

// lacks returns the first of the functions that the system has not got, with its reason; empty if it has all.
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
