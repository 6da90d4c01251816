// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// Patience is how long a test waits for an expected event; it matters only if the event does not occur.
	Patience = time.Minute
	// Interval is the pause between two checks.
	Interval = 20 * time.Millisecond
)

// Until waits until a condition holds, or fails the test.
func Until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	UntilSeen(t, what, func() (bool, any) { return holds(), "" })
}

// UntilSeen waits until a condition holds, or fails the test with the last observation, such as an error.
func UntilSeen[S any](t *testing.T, what string, look func() (holds bool, seen S)) {
	t.Helper()
	UntilWithin(t, Patience, what, look)
}

// UntilWithin is UntilSeen with a different time limit.
func UntilWithin[S any](t *testing.T, patience time.Duration, what string, look func() (holds bool, seen S)) {
	t.Helper()
	var seen S
	err := wait.PollUntilContextTimeout(t.Context(), Interval, patience, true, func(context.Context) (holds bool, _ error) {
		holds, seen = look()
		return holds, nil
	})
	if err != nil {
		t.Fatalf("not within %s: %s: %v\nlast seen: %v", patience, what, err, seen)
	}
}

// Lazily is an observation that is costly to describe: the function is called only if it is printed.
type Lazily func() string

// String implements fmt.Stringer.
func (l Lazily) String() string { return l() }
