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
	// Patience is how long a test waits for something that should come; it only matters where it does not.
	Patience = time.Minute
	// Interval is the pause between two looks.
	Interval = 20 * time.Millisecond
)

// Until waits until something holds, or ends the test.
func Until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	UntilSeen(t, what, func() (bool, any) { return holds(), "" })
}

// UntilSeen waits until something holds, or ends the test with what was seen last, such as an error.
func UntilSeen[S any](t *testing.T, what string, look func() (holds bool, seen S)) {
	t.Helper()
	UntilWithin(t, Patience, what, look)
}

// UntilWithin is UntilSeen with a patience of its own.
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

// Lazily is something to show that is costly to describe: it is described when it is printed.
type Lazily func() string

// String implements fmt.Stringer.
func (l Lazily) String() string { return l() }
