// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/cron"
)

// isMistaken reports whether a mistake, and not a user's suspension, keeps the schedule from running.
func (d *decider) isMistaken() bool { return d.Times == nil && !d.spec.Suspend }

// hasChanged reports whether the schedule was edited, suspended, resumed, broken or corrected since what was handled
// was recorded.
func (d *decider) hasChanged(before *v1alpha1.HandledSchedule) bool {
	return before.Schedule != d.spec.Schedule || before.TimeZone != d.spec.TimeZone ||
		before.Paused != d.isPaused() || before.Mistake != d.isMistaken()
}

// leave deals with the ticks that were due until such a change: none of them is run, because nothing of the past is run
// after one. They are missed, unless a user has suspended the schedule. It reports whether something has to be recorded
// before the schedule can be followed from now on: an application that was created and not recorded, or as many ticks
// as one decision considers.
func (d *decider) leave() bool {
	before := d.Schedule.Status.Handled
	if before == nil || !d.hasChanged(before) || before.Paused && !before.Mistake {
		return false
	}
	times, err := cron.Parse(before.Schedule, before.TimeZone)
	if err != nil { // nothing was due
		return false
	}
	until, unrecorded := d.dropTicks(before, times)
	if !unrecorded {
		return false
	}
	d.out.Again = true
	d.out.Handled = *before
	d.out.Handled.Until = handledAt(until)
	return true
}

// dropTicks goes through the ticks that were due until a change. It stops at one whose application was created and not
// recorded, or after as many as one decision considers, and then returns the last one and true.
func (d *decider) dropTicks(before *v1alpha1.HandledSchedule, times *cron.Schedule) (until time.Time, unrecorded bool) {
	reason := d.whyLeft(before)
	until = later(before.Until.Time, d.Schedule.CreationTimestamp.Time)
	for n := 0; ; n++ {
		at := times.Next(until)
		if at.IsZero() || at.After(d.Now) {
			return until, false
		}
		if n == batch {
			return until, true
		}
		until = at
		c := d.child(Name(d.Schedule.Name, at))
		switch {
		case c != nil && c.Request == "":
			d.out.Create = &Run{Name: c.Name, At: at, Exists: true}
			return until, true
		case c == nil && reason != "":
			d.out.Passed = append(d.out.Passed, Passed{At: at, Reason: reason})
		}
	}
}

// whyLeft returns the reason why ticks that were due until a change are missed; empty if they do not count as missed.
func (d *decider) whyLeft(before *v1alpha1.HandledSchedule) string {
	switch {
	case before.Mistake, d.isMistaken():
		return v1alpha1.MissedInvalidSpec
	case d.spec.Suspend:
		return ""
	}
	return v1alpha1.MissedScheduleChanged
}
