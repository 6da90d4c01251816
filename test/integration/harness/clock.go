// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// Clock is the system clock, set ahead by Advance. Pauses take as long as usual, so after Advance a test has to give
// the operator a reason to look at the clock, such as a changed label. The zero value is ready for use. It is safe for
// concurrent use.
type Clock struct {
	clock.RealClock
	ahead atomic.Int64

	mu       sync.Mutex
	advances []advance
}

// advance is a system time at which the clock was set ahead.
type advance struct {
	at time.Time
	by time.Duration
}

// Advance sets the clock ahead.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advances = append(c.advances, advance{c.RealClock.Now(), by})
	c.ahead.Add(int64(by))
}

// At returns the time that this clock showed at a system time.
func (c *Clock) At(machine time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	shown := machine
	for _, a := range c.advances {
		if !a.at.After(machine) {
			shown = shown.Add(a.by)
		}
	}
	return shown
}

// Now returns the system time, set ahead.
func (c *Clock) Now() time.Time { return c.RealClock.Now().Add(time.Duration(c.ahead.Load())) }

// Since returns the time that has passed on this clock.
func (c *Clock) Since(then time.Time) time.Duration { return c.Now().Sub(then) }

// StandingClock always shows the same time. Pauses take as long as usual, but nothing becomes due.
type StandingClock struct {
	clock.RealClock
	At time.Time
}

// Now implements clock.PassiveClock.
func (s StandingClock) Now() time.Time { return s.At }

// Since implements clock.PassiveClock.
func (s StandingClock) Since(t time.Time) time.Duration { return s.At.Sub(t) }
