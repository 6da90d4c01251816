// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cron

import "time"

// Occurrence is an instant at which a schedule fires, and whether it is near a change of the clocks.
type Occurrence struct {
	// At is the instant, in the time zone of the schedule.
	At time.Time
	// Skipped are the first and the last local time, written as UTC, which the schedule names but which do not exist
	// because clocks were set forward just before At; zero if there are none. Together they fire once, at At.
	Skipped [2]time.Time
	// Repeat says whether the local time of At occurs twice.
	Repeat Repeat
}

// Repeat says which of the instants with the same local time an instant is.
type Repeat int

const (
	// NotRepeated means that the local time occurs once.
	NotRepeated Repeat = iota
	// FirstOfTwo means that the local time occurs again later.
	FirstOfTwo
	// SecondOfTwo means that the local time has occurred before.
	SecondOfTwo
	// FirstOnly means that the local time occurs again later, but that the schedule does not fire then, because it
	// means local times.
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
	// From and To are the local times just before and just after it, written as UTC.
	From, To time.Time
	// Before and After are the offsets of the time zone, in seconds east of UTC.
	Before, After int
}

// ChangeBefore returns the last change of the clocks, at or before an instant, in that instant's time zone; false if
// there was none.
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

// skippedBefore returns the first and the last local time that the fields name in the gap that ends at an instant; zero
// if no gap ends there.
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
