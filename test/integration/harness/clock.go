// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// Clock is the machine's, set ahead by Advance. Pauses take as long as ever: who advances the clock also gives the operator a reason
// to look at it, such as a changed label. The zero value is ready to use. Safe for concurrent use.
type Clock struct {
	clock.RealClock
	ahead atomic.Int64

	mu       sync.Mutex
	advances []advance
}

// advance is a time of the machine at which a clock was set ahead.
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

// At is the time that this clock showed at a time of the machine.
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

// Now is the machine's time, set ahead.
func (c *Clock) Now() time.Time { return c.RealClock.Now().Add(time.Duration(c.ahead.Load())) }

// Since is the time that has passed on this clock.
func (c *Clock) Since(then time.Time) time.Duration { return c.Now().Sub(then) }

// StandingClock shows the same time for ever. Pauses take as long as ever, but nothing becomes due.
type StandingClock struct {
	clock.RealClock
	At time.Time
}

// Now implements clock.PassiveClock.
func (s StandingClock) Now() time.Time { return s.At }

// Since implements clock.PassiveClock.
func (s StandingClock) Since(t time.Time) time.Duration { return s.At.Sub(t) }
