// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// Clock is the machine's, set ahead by Advance. Pauses take as long as ever: who advances the clock also gives the operator a reason
// to look at it, such as a changed label. The zero value is ready to use. Safe for concurrent use.
type Clock struct {
	clock.RealClock
	ahead atomic.Int64
}

// Advance sets the clock ahead.
func (c *Clock) Advance(by time.Duration) { c.ahead.Add(int64(by)) }

// Now is the machine's time, set ahead.
func (c *Clock) Now() time.Time { return c.RealClock.Now().Add(time.Duration(c.ahead.Load())) }

// Since is the time that has passed on this clock.
func (c *Clock) Since(then time.Time) time.Duration { return c.Now().Sub(then) }
