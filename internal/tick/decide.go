// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
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
	d := &decider{Observation: o, spec: &o.Schedule.Spec}
	d.out.RunFor = o.Schedule.Status.RunFor
	if d.leave() {
		return d.out
	}
	d.handled = d.start()
	switch {
	case d.recordPast(): // also if the request is no longer the current one
	case d.accept():
		d.out.Again = true
	default:
		d.run()
		d.runPast()
	}
	d.out.Handled = d.record(d.handled)
	return d.out
}

// run deals with a run that was requested, and with the ticks that are due.
func (d *decider) run() {
	switch {
	case d.paused():
	case d.Token == "":
		d.follow()
	// The ticks that are due do not wait until the request can be created.
	case d.RefusedRequest == RequestedName(d.Schedule.Name, d.Token):
		if d.follow(); d.out.Create == nil && len(d.out.Delete) == 0 {
			d.request()
		}
	case !d.request():
		d.follow()
	case d.out.Create != nil:
		// Creating it may fail, so look again at the next tick.
		d.out.Look = d.Times.Next(d.handled)
	}
}

type decider struct {
	Observation
	spec *v1alpha1.ScheduledSparkApplicationSpec
	// handled is the time up to which all ticks have been dealt with.
	handled time.Time
	// made is, under Replace, the last due tick that has an application. That application was created but not recorded
	// yet; the ticks before it count as missed.
	made time.Time
	out  Decision
}

// start returns the time after which ticks are considered.
func (d *decider) start() time.Time {
	before, created := d.Schedule.Status.Handled, d.Schedule.CreationTimestamp.Time
	switch {
	case before == nil:
		return created
	case before.Paused && !d.isPaused() && before.Until.Sub(d.Now) > ClockJump:
		return d.Now
	case d.hasChanged(before): // which makes no past ticks due
		return later(before.Until.Time, d.Now)
	}
	return later(before.Until.Time, created) // a backup may have restored it with its status
}

func (d *decider) isPaused() bool { return d.spec.Suspend || d.Times == nil }

// paused deals with a schedule that is suspended or has a mistake, and reports whether it is one. A requested run is
// still created while the schedule is suspended.
func (d *decider) paused() bool {
	if !d.isPaused() {
		return false
	}
	if d.Times != nil && d.Token != "" {
		d.request()
	}
	return true
}

func (d *decider) record(until time.Time) v1alpha1.HandledSchedule {
	return v1alpha1.HandledSchedule{
		Until: handledAt(until), Schedule: d.spec.Schedule, TimeZone: d.spec.TimeZone, Paused: d.isPaused(), Mistake: d.isMistaken(),
	}
}

// handledAt returns a time as it is recorded.
func handledAt(at time.Time) metav1.Time { return metav1.NewTime(at.UTC().Truncate(time.Second)) }

// request deals with a run that was requested, and reports whether that needs an action before ticks are considered.
func (d *decider) request() bool {
	run := &Run{Name: RequestedName(d.Schedule.Name, d.Token), Token: d.Token}
	run.Exists = d.exists(run.Name)
	blocker := d.blocker(run.Name)
	switch {
	case run.Exists:
		d.out.Create, d.out.Again = run, true
		return true
	case d.isFree(run.Name):
		d.out.Create, d.out.Again = run, true
		return true
	// A request that was refused replaces nothing: it would stop each run in vain.
	case blocker == nil, d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace && d.RefusedRequest != run.Name:
		d.replace(run.Name)
		return true
	}
	d.out.Waits = blocker
	return false
}

// follow deals with the due ticks in order, and stops at the first one that has to wait or is to be created.
func (d *decider) follow() {
	due, more := d.due()
	d.made = d.lastMade(due)
	for i, at := range due {
		if more && i == len(due)-CatchUpLimit {
			// Whether the last ones are run depends on the ticks after them, which are not known yet.
			break
		}
		next := due[i+1:]
		if d.handle(at, d.passOver(at, next), next) {
			return
		}
		d.handled = at
	}
	d.out.Again = more
	if !more {
		d.out.Look = d.Times.Next(later(d.handled, d.Now))
	}
}

// lastMade returns the last of the due ticks that has an application; the zero time unless the policy is Replace. Under
// other policies it is not needed, and computing the names of thousands of ticks behind a run that waits would be slow.
func (d *decider) lastMade(due []time.Time) (made time.Time) {
	if d.spec.ConcurrencyPolicy != v1alpha1.ConcurrencyReplace {
		return made
	}
	for _, at := range slices.Backward(due) {
		if d.exists(Name(d.Schedule.Name, at)) {
			return at
		}
	}
	return made
}

// due returns the ticks that are due, oldest first, at most batch of them, and whether there are more.
func (d *decider) due() (ticks []time.Time, more bool) {
	for at := d.Times.Next(d.handled); !at.IsZero() && !at.After(d.Now); at = d.Times.Next(at) {
		if len(ticks) == batch {
			return ticks, true
		}
		ticks = append(ticks, at)
	}
	return ticks, false
}

// passOver returns the reason why a tick is not run, whatever else is running; empty if it may be run. next are the
// ticks after it, at least CatchUpLimit of them if so many are due.
func (d *decider) passOver(at time.Time, next []time.Time) string {
	if deadline := d.spec.StartingDeadline; deadline != nil && d.Now.Sub(at) > deadline.Duration {
		return v1alpha1.MissedStartingDeadlineExceeded
	}
	if at.After(d.Since) {
		return d.giveUp(at, next)
	}
	missed := 0
	for missed < len(next) && missed < CatchUpLimit && !next[missed].After(d.Since) {
		missed++
	}
	switch d.spec.CatchUp {
	case v1alpha1.CatchUpAll:
		if missed < CatchUpLimit {
			return ""
		}
	case v1alpha1.CatchUpNone:
	default:
		if missed == 0 {
			return d.giveUp(at, next)
		}
	}
	return v1alpha1.MissedOperatorDown
}

// giveUp returns the reason why a tick that has not started is missed once others are due after it; empty if it is not
// missed. Under Replace the next tick would end it at once. A tick whose application the API server has refused is
// missed as well: otherwise all ticks that are due meanwhile would start as soon as the API server accepts them. Under
// Allow only the last ones start at once, which are many only if a clock was set ahead, or if the operator could not
// follow the schedule for long.
func (d *decider) giveUp(at time.Time, next []time.Time) string {
	switch {
	case len(next) == 0:
	case d.spec.StartingDeadline == nil && d.Refused == Name(d.Schedule.Name, at):
		return v1alpha1.MissedCreateFailed
	case d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace:
		return v1alpha1.MissedReplaced
	case d.spec.StartingDeadline == nil && d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow && len(next) >= CatchUpLimit:
		return v1alpha1.MissedNotFollowed
	}
	return ""
}

// handle deals with one tick, and reports whether the ticks after it have to wait. next are the due ticks after it.
func (d *decider) handle(at time.Time, reason string, next []time.Time) bool {
	run := &Run{Name: Name(d.Schedule.Name, at), At: at}
	// It was created and not recorded: the application runs, however late this is noticed.
	if d.exists(run.Name) {
		run.Exists = true
		d.out.Create, d.out.Again, d.handled = run, true, at
		return true
	}
	switch {
	case reason != "":
	case d.Taken[run.Name]:
		reason = v1alpha1.MissedNameTaken
	case at.Before(d.made):
		// By the run of that tick, although another leader may treat this one as one to catch up.
		reason = v1alpha1.MissedReplaced
	}
	if reason != "" {
		d.out.Passed = append(d.out.Passed, Passed{At: at, Reason: reason})
		return false
	}
	blocker := d.blockerOf(run.Name, at, next)
	switch {
	case d.isFree(run.Name):
		d.out.Create, d.out.Again, d.handled = run, true, at
		return true
	case blocker == nil, d.replaces(at, blocker, next):
		d.replace(run.Name)
		// If deleting takes until the next tick, this one is missed.
		d.out.Look = d.Times.Next(d.Now)
		return true
	case d.mayWait(at, blocker, len(next) > 0):
		d.wait(at, blocker)
		return true
	}
	d.out.Passed = append(d.out.Passed, Passed{At: at, Reason: v1alpha1.MissedConcurrencyForbidden, Blocker: blocker})
	return false
}

// replaces reports whether a tick deletes the application in its way. Under Replace it does. One of several ticks that
// are caught up does so only once that application has had its time (hadItsTime): otherwise an application that never
// ends would hold up all the ticks behind it.
func (d *decider) replaces(at time.Time, blocker *Child, next []time.Time) bool {
	if d.spec.ConcurrencyPolicy != v1alpha1.ConcurrencyReplace || !d.oneOfMissed(at) {
		return d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace
	}
	return d.hadItsTime(blocker, next)
}

// hadItsTime reports whether another tick, one that was not missed, has become due since an application was created.
func (d *decider) hadItsTime(c *Child, next []time.Time) bool {
	return len(next) > 0 && next[len(next)-1].After(later(d.Since, c.Created))
}

// mayWait reports whether a tick waits for the application in its way. It waits while it may still start late: if there
// is a starting deadline, if it is one of several that are caught up, or, if it alone was missed, until the next tick
// is due. For a run of a past time that a user has requested, it waits until then as well: such a run has no time at
// which the user could expect it. It also waits while a new leader settles: a run that ended without an operator may not
// show that in its status yet.
func (d *decider) mayWait(at time.Time, blocker *Child, nextIsDue bool) bool {
	waitsForNext := !at.After(d.Since) || blocker.Request != ""
	return d.spec.StartingDeadline != nil || d.oneOfMissed(at) || waitsForNext && !nextIsDue || d.settling()
}

// settlingTime is the time that a new leader may need to update the statuses of applications that changed before it
// led.
const settlingTime = 30 * time.Second

// settling reports whether this process became the leader less than settlingTime ago.
func (d *decider) settling() bool {
	return !d.Now.Before(d.Since) && d.Now.Before(d.Since.Add(settlingTime))
}

// oneOfMissed reports whether a tick is one of several that are caught up one after the other.
func (d *decider) oneOfMissed(at time.Time) bool {
	return d.spec.CatchUp == v1alpha1.CatchUpAll && !at.After(d.Since)
}

func (d *decider) wait(at time.Time, blocker *Child) {
	d.out.Waits = blocker
	switch deadline := d.spec.StartingDeadline; {
	case deadline != nil && !blocker.Stalled:
		d.out.Look = at.Add(deadline.Duration + 1)
	// The next tick may replace the blocker.
	case d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace:
		d.out.Look = d.Times.Next(d.Now)
	case d.oneOfMissed(at) && !blocker.Stalled:
	case d.settling():
		d.out.Look = d.Since.Add(settlingTime)
	default:
		d.out.Look = d.Times.Next(d.Now)
	}
}

// exists reports whether the schedule has an application of that name.
func (d *decider) exists(name string) bool { return d.child(name) != nil }

// isFree reports whether an application of that name may be created now: either runs may overlap, or no other
// application runs or may start to run.
func (d *decider) isFree(name string) bool {
	return d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow ||
		!slices.ContainsFunc(d.Children, func(c Child) bool { return c.mayRun() && c.Name != name })
}

// replace deletes all applications in the way of another one. That one is created once they are gone: only then is
// their quota released, and only then can a stalled one no longer start.
func (d *decider) replace(name string) {
	for _, c := range d.Children {
		if c.mayRun() && c.Name != name {
			d.out.Waits = &c
			if !c.Deleting {
				d.out.Delete = append(d.out.Delete, c)
			}
		}
	}
	slices.SortFunc(d.out.Delete, compareNames)
}

// blocker returns the oldest unfinished application other than the one of that name; nil if there is none. A stalled
// application blocks nothing, even while it is being deleted.
func (d *decider) blocker(name string) *Child {
	var oldest *Child
	for i, c := range d.Children {
		if c.IsInTheWay() && c.Name != name && (oldest == nil || c.Created.Before(oldest.Created)) {
			oldest = &d.Children[i]
		}
	}
	return oldest
}

// blockerOf returns the application in the way of a tick; nil if there is none. Besides what blocker returns, a stalled
// application counts while its status may be out of date, because this process has just become the leader, and, for one
// of several ticks that are caught up, until it has had its time: whatever it waits for may still appear.
func (d *decider) blockerOf(name string, at time.Time, next []time.Time) *Child {
	if blocker := d.blocker(name); blocker != nil {
		return blocker
	}
	for i, c := range d.Children {
		if c.Stalled && !c.Finished && c.Name != name && (d.settling() || d.oneOfMissed(at) && !d.hadItsTime(&c, next)) {
			return &d.Children[i]
		}
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
