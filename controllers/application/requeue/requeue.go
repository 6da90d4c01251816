// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package requeue

import "time"

// Error ends a pass that must be repeated after a pause. It is not logged as a failure.
type Error struct {
	After time.Duration
	Why   string
}

func (e *Error) Error() string { return e.Why }

// Sooner returns the shorter of two delays as in ctrl.Result, where 0 means no requeue.
func Sooner(a, b time.Duration) time.Duration {
	if a == 0 || b > 0 && b < a {
		return b
	}
	return a
}

// Within adds to a delay as in ctrl.Result that another pass is needed within the given time, or immediately if that is
// not positive.
func Within(delay, after time.Duration) time.Duration {
	return Sooner(delay, max(after, time.Millisecond))
}
