// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/cron"
)

// handleChange deals with the ticks that were due until the schedule was changed (hasChanged): none of them is run,
// because nothing of the past is run after one. They are missed, unless a user has suspended the schedule. It reports
// whether something has to be recorded before the schedule can be followed from now on: an application that was created
// and not recorded, or as many ticks as one decision considers.
func handleChange(st *state) bool {
	before := st.o.Schedule.Status.Handled
	if before == nil || !st.o.hasChanged(before) || before.Paused && !before.Mistake {
		return false
	}
	times, err := cron.Parse(before.Schedule, before.TimeZone)
	if err != nil { // nothing was due
		return false
	}
	until, unrecorded := dropTicks(st, before, times)
	if !unrecorded {
		return false
	}
	st.out.Again = true
	st.out.Handled = *before
	st.out.Handled.Until = handledAt(until)
	return true
}

// dropTicks goes through the ticks that were due until a change. It stops at one whose application was created and not
// recorded, or after as many as one decision considers, and then returns the last one and true.
func dropTicks(st *state, before *v1alpha1.HandledSchedule, times *cron.Schedule) (until time.Time, unrecorded bool) {
	reason := st.o.whyLeft(before)
	until = later(before.Until.Time, st.o.Schedule.CreationTimestamp.Time)
	for n := 0; ; n++ {
		at := times.Next(until)
		if at.IsZero() || at.After(st.o.Now) {
			return until, false
		}
		if n == batch {
			return until, true
		}
		until = at
		c := st.o.child(Name(st.o.Schedule.Name, at))
		switch {
		case c != nil && c.Request == "":
			st.out.Create = &Run{Name: c.Name, At: at, Exists: true}
			return until, true
		case c == nil && reason != "":
			st.out.Passed = append(st.out.Passed, Passed{At: at, Reason: reason})
		}
	}
}

// whyLeft returns the reason why ticks that were due until a change are missed; empty if they do not count as missed.
func (o *Observation) whyLeft(before *v1alpha1.HandledSchedule) string {
	switch {
	case before.Mistake, o.isMistaken():
		return v1alpha1.MissedInvalidSpec
	case o.Schedule.Spec.Suspend:
		return ""
	}
	return v1alpha1.MissedScheduleChanged
}
