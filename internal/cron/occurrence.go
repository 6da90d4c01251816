// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import "time"

// Occurrence is an instant at which a schedule is due, with what clocks do there.
type Occurrence struct {
	// At is the instant, as a clock in the time zone of the schedule shows it.
	At time.Time
	// Skipped are the first and the last local time, written as UTC, that the schedule names and that clocks leave out
	// just before At; zero if there is none. They are due at At, together.
	Skipped [2]time.Time
	// Repeat says whether clocks show the local time of At twice.
	Repeat Repeat
}

// Repeat is what an instant is among those with the same local time.
type Repeat int

const (
	// NotRepeated: clocks show the local time once.
	NotRepeated Repeat = iota
	// FirstOfTwo: clocks show the local time once more later.
	FirstOfTwo
	// SecondOfTwo: clocks have shown the local time before.
	SecondOfTwo
	// FirstOnly: clocks show the local time once more later, and the schedule is not due then because it means local
	// times.
	FirstOnly
)

// Describe returns what clocks do at an instant that Next has returned.
func (s *Schedule) Describe(at time.Time) Occurrence {
	o := Occurrence{At: at.In(s.zone), Repeat: repeatOf(at.In(s.zone))}
	if s.every > 0 || s.rhythmic {
		return o
	}
	o.Skipped = s.skippedBefore(o.At)
	if o.Repeat == FirstOfTwo {
		o.Repeat = FirstOnly
	}
	return o
}

// Change is an instant at which clocks are set forward or back.
type Change struct {
	At time.Time
	// From and To are what clocks show before and after it, written as UTC.
	From, To time.Time
	// Before and After are the offsets of the time zone, in seconds east of UTC.
	Before, After int
}

// ChangeBefore returns how the offset came about that clocks in the time zone of the instant have then; false if they
// always had it.
func ChangeBefore(at time.Time) (Change, bool) {
	start, _ := at.ZoneBounds()
	if start.IsZero() {
		return Change{}, false
	}
	_, before := start.Add(-1).Zone()
	_, after := start.Zone()
	return Change{
		At: start, From: start.UTC().Add(seconds(before)), To: start.UTC().Add(seconds(after)), Before: before, After: after,
	}, true
}

// skippedBefore returns the first and the last local time that the fields name in the gap that ends at an instant.
func (s *Schedule) skippedBefore(at time.Time) (skipped [2]time.Time) {
	gap, found := ChangeBefore(at)
	if !found || !gap.At.Equal(at) || gap.After <= gap.Before {
		return skipped
	}
	for local := s.nextNamed(gap.From.Add(-1)); !local.IsZero() && local.Before(gap.To); local = s.nextNamed(local) {
		if skipped[0].IsZero() {
			skipped[0] = local
		}
		skipped[1] = local
	}
	return skipped
}

func repeatOf(at time.Time) Repeat {
	local := localTime(at)
	if back, found := ChangeBefore(at); found && local.Add(-seconds(back.Before)).Before(back.At) {
		return SecondOfTwo
	}
	end := endOfPeriod(at)
	if end.IsZero() {
		return NotRepeated
	}
	if _, next := end.Zone(); !local.Add(-seconds(next)).Before(end) {
		return FirstOfTwo
	}
	return NotRepeated
}
