// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
)

// CatchUpLimit is the largest number of missed ticks that CatchUpAll runs, and of ticks that start at once under Allow.
const CatchUpLimit = 10

// batch is the largest number of ticks that one decision considers: a year of minutes is half a million.
const batch = 10_000

// ClockJump is how far ahead a schedule must have been followed for its resumption to begin now. Only a clock that was
// wrong explains so much, and a user who suspends and resumes the schedule says that the clock is right again. A clock
// that is set back by less changes nothing, so that nothing runs twice.
const ClockJump = 24 * time.Hour

// Decide returns what to do about the ticks that are due, and about runs that a user has requested. It is pure.
func Decide(o Observation) Decision {
	st := &state{o: o, out: Decision{RunFor: o.Schedule.Status.RunFor}}
	if handleChange(st) {
		return st.out
	}
	st.handled = o.followedUntil()
	switch {
	case handleCreatedPast(st): // also if the request is no longer the current one
	case handleRunFor(st):
		st.out.Again = true
	default:
		run(st)
		runPast(st)
	}
	st.out.Handled = o.record(st.handled)
	return st.out
}

// state is a decision in the making. What acts on it is a function; a rule that only asks
// is a method of the observation (rules.go).
type state struct {
	o Observation
	// handled is the time up to which all ticks have been dealt with.
	handled time.Time
	// made is, under Replace, the last due tick that has an application. That application was created but not recorded
	// yet; the ticks before it count as missed.
	made time.Time
	out  Decision
}

// create has the application of a run created, or recorded if it exists. Its tick is handled then.
func (st *state) create(run *Run) {
	if st.out.Create, st.out.Again = run, true; !run.Requested() {
		st.handled = run.At
	}
}

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

// run deals with a run that was requested, and with the ticks that are due.
func run(st *state) {
	switch {
	case handlePaused(st):
	case st.o.Token == "":
		follow(st)
	// The ticks that are due do not wait until the request can be created.
	case st.o.RefusedRequest == RequestedName(st.o.Schedule.Name, st.o.Token):
		if follow(st); st.out.Create == nil && len(st.out.Delete) == 0 {
			handleRequest(st)
		}
	case !handleRequest(st):
		follow(st)
	case st.out.Create != nil:
		// Creating it may fail, so look again at the next tick.
		st.out.Look = st.o.Times.Next(st.handled)
	}
}

// handlePaused deals with a schedule that is suspended or has a mistake, and reports whether it is one. A requested run
// is still created while the schedule is suspended.
func handlePaused(st *state) bool {
	if !st.o.isPaused() {
		return false
	}
	if st.o.Times != nil && st.o.Token != "" {
		handleRequest(st)
	}
	return true
}

// handleRequest deals with a run that was requested, and reports whether that needs an action before ticks are
// considered.
func handleRequest(st *state) bool {
	run := &Run{Name: RequestedName(st.o.Schedule.Name, st.o.Token), Token: st.o.Token}
	run.Exists = st.o.exists(run.Name)
	blocker := st.o.blocker(run.Name)
	switch {
	case run.Exists, st.o.isFree(run.Name):
		st.create(run)
		return true
	// A request that was refused replaces nothing: it would stop each run in vain.
	case blocker == nil, st.o.Schedule.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace && st.o.RefusedRequest != run.Name:
		replace(st, run.Name)
		return true
	}
	st.out.Waits = blocker
	return false
}

// follow deals with the due ticks in order, and stops at the first one that has to wait or is to be created.
func follow(st *state) {
	due, more := st.o.due(st.handled)
	st.made = st.o.lastMade(due)
	for i, at := range due {
		if more && i == len(due)-CatchUpLimit {
			// Whether the last ones are run depends on the ticks after them, which are not known yet.
			break
		}
		if handleTick(st, at, due[i+1:]) {
			return
		}
		st.handled = at
	}
	st.out.Again = more
	if !more {
		st.out.Look = st.o.Times.Next(later(st.handled, st.o.Now))
	}
}

// handleTick deals with one tick, and reports whether the ticks after it have to wait. next are the due ticks after it,
// at least CatchUpLimit of them if so many are due.
func handleTick(st *state, at time.Time, next []time.Time) bool {
	run := &Run{Name: Name(st.o.Schedule.Name, at), At: at}
	// It was created and not recorded: the application runs, however late this is noticed.
	if run.Exists = st.o.exists(run.Name); run.Exists {
		st.create(run)
		return true
	}
	if reason := whyMissed(st, run, next); reason != "" {
		st.out.Passed = append(st.out.Passed, Passed{At: at, Reason: reason})
		return false
	}
	blocker := st.o.blockerOf(run.Name, at, next)
	switch {
	case st.o.isFree(run.Name):
		st.create(run)
	case blocker == nil, st.o.replaces(at, blocker, next):
		replace(st, run.Name)
		// If deleting takes until the next tick, this one is missed.
		st.out.Look = st.o.Times.Next(st.o.Now)
	case st.o.mayWait(at, blocker, len(next) > 0):
		wait(st, at, blocker)
	default:
		st.out.Passed = append(st.out.Passed, Passed{At: at, Reason: v1alpha1.MissedConcurrencyForbidden, Blocker: blocker})
		return false
	}
	return true
}

// whyMissed returns the reason why a tick is not run, whatever else is running; empty if it may be run.
func whyMissed(st *state, run *Run, next []time.Time) string {
	reason := st.o.passOver(run.At, next)
	switch {
	case reason != "":
	case st.o.Taken[run.Name]:
		reason = v1alpha1.MissedNameTaken
	case run.At.Before(st.made):
		// By the run of that tick, although another leader may treat this one as one to catch up.
		reason = v1alpha1.MissedReplaced
	}
	return reason
}

// wait has a tick wait for the application in its way, and says until when.
func wait(st *state, at time.Time, blocker *Child) {
	st.out.Waits, st.out.Look = blocker, st.o.Times.Next(st.o.Now)
	switch deadline := st.o.Schedule.Spec.StartingDeadline; {
	case deadline != nil && !blocker.Stalled:
		st.out.Look = at.Add(deadline.Duration + 1)
	case st.o.Schedule.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace: // the next tick may replace the blocker
	case st.o.oneOfMissed(at) && !blocker.Stalled:
		st.out.Look = time.Time{}
	case st.o.settling():
		st.out.Look = st.o.Since.Add(settlingTime)
	}
}

// replace deletes all applications in the way of another one. That one is created once they are gone: only then is
// their quota released, and only then can a stalled one no longer start.
func replace(st *state, name string) {
	for _, c := range st.o.Children {
		if c.mayRun() && c.Name != name {
			st.out.Waits = &c
			if !c.Deleting {
				st.out.Delete = append(st.out.Delete, c)
			}
		}
	}
	slices.SortFunc(st.out.Delete, compareNames)
}
