// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// CatchUpLimit is how many missed ticks CatchUpAll runs at most.
const CatchUpLimit = 10

// batch bounds how many ticks are looked at in one decision: a year of minutes is half a million.
const batch = 10_000

// Decide returns what to do with the ticks that are due.
func Decide(o Observation) Decision {
	d := &decider{Observation: o, spec: &o.Schedule.Spec}
	d.handled = d.start()
	switch {
	case d.paused():
	case o.Token == "":
		d.follow()
	case o.RefusedRequest == RequestedName(o.Schedule.Name, o.Token): // what is due does not wait until it can be created
		if d.follow(); d.out.Create == nil && len(d.out.Delete) == 0 {
			d.request()
		}
	case !d.request():
		d.follow()
	case d.out.Create != nil:
		d.out.Look = d.Times.Next(d.handled) // it may be that it cannot be created
	}
	d.out.Handled = d.record(d.handled)
	return d.out
}

type decider struct {
	Observation
	spec *v1alpha1.ScheduledSparkApplicationSpec
	// handled is the time until which nothing is due.
	handled time.Time
	// made is, under Replace, the last tick that is due and has an application: it was created and not recorded, and those before it were missed.
	made time.Time
	out  Decision
}

// start returns the time from which ticks count.
func (d *decider) start() time.Time {
	before := d.Schedule.Status.Handled
	switch {
	case before == nil:
		return d.Schedule.CreationTimestamp.Time
	case before.Schedule != d.spec.Schedule || before.TimeZone != d.spec.TimeZone, before.Paused && !d.isPaused():
		return later(before.Until.Time, d.Now) // neither an edit nor the end of a pause fires the past
	}
	return before.Until.Time
}

func (d *decider) isPaused() bool { return d.spec.Suspend || d.Times == nil }

// paused deals with a schedule of which nothing is due. A request is answered while it is suspended.
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
		Until: metav1.NewTime(until.UTC().Truncate(time.Second)), Schedule: d.spec.Schedule, TimeZone: d.spec.TimeZone, Paused: d.isPaused(),
	}
}

// request deals with a run that was asked for, and reports whether there is something to do for it first.
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
	case blocker == nil, d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace && d.RefusedRequest != run.Name: // else it would end each run in vain
		d.replace(run.Name)
		return true
	}
	d.out.Waits = blocker
	return false
}

// follow goes through the ticks that are due, until one of them takes time.
func (d *decider) follow() {
	due, more := d.due()
	d.made = d.lastMade(due)
	for i, at := range due {
		if more && i == len(due)-CatchUpLimit {
			break // the last ones are decided on when it is known what comes after them
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

// lastMade returns the last of the ticks that are due for which there is an application; zero unless runs replace each other. Behind a run that
// waits thousands may be due, whose names are not needed.
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

// due returns the ticks that are due, oldest first, and whether there are more.
func (d *decider) due() (ticks []time.Time, more bool) {
	for at := d.Times.Next(d.handled); !at.IsZero() && !at.After(d.Now); at = d.Times.Next(at) {
		if len(ticks) == batch {
			return ticks, true
		}
		ticks = append(ticks, at)
	}
	return ticks, false
}

// passOver says why a tick is not run, whatever else is running; empty if it may be. next are the ticks after it,
// at least CatchUpLimit if there are as many.
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

// giveUp says why a tick that has not started is given up when the next one is due. Under Replace that would end it at once. One that the API
// server has refused may not start as late as that: else the end of what refuses it would start all that was due meanwhile.
func (d *decider) giveUp(at time.Time, next []time.Time) string {
	switch {
	case len(next) == 0:
	case d.spec.StartingDeadline == nil && d.Refused == Name(d.Schedule.Name, at):
		return v1alpha1.MissedCreateFailed
	case d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace:
		return v1alpha1.MissedReplaced
	}
	return ""
}

// handle deals with one tick, and reports whether the ones after it have to wait. next are those that are due.
func (d *decider) handle(at time.Time, reason string, next []time.Time) bool {
	run := &Run{Name: Name(d.Schedule.Name, at), At: at}
	if d.exists(run.Name) { // the operator that created it could not record it: it runs, however late this is noticed
		run.Exists = true
		d.out.Create, d.out.Again, d.handled = run, true, at
		return true
	}
	switch {
	case reason != "":
	case d.Taken[run.Name]:
		reason = v1alpha1.MissedNameTaken
	case at.Before(d.made):
		reason = v1alpha1.MissedReplaced // by that one, although another leader may see it as one to catch up
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
		d.out.Look = d.Times.Next(d.Now) // if that takes until the next tick, this one is missed
		return true
	case d.mayWait(at, len(next) > 0):
		d.wait(at, blocker)
		return true
	}
	d.out.Passed = append(d.out.Passed, Passed{At: at, Reason: v1alpha1.MissedConcurrencyForbidden, Blocker: blocker})
	return false
}

// replaces says that a tick ends the application in its way. One of several that are caught up does so when that has had its time: another tick was
// due since it was created, of those that nothing has missed. Else one that never ends would hold up all that is due.
func (d *decider) replaces(at time.Time, blocker *Child, next []time.Time) bool {
	if d.spec.ConcurrencyPolicy != v1alpha1.ConcurrencyReplace || !d.oneOfMissed(at) {
		return d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace
	}
	return d.hadItsTime(blocker, next)
}

// hadItsTime says that another tick was due since an application was created, of those that nothing has missed.
func (d *decider) hadItsTime(c *Child, next []time.Time) bool {
	return len(next) > 0 && next[len(next)-1].After(later(d.Since, c.Created))
}

// mayWait says that a tick waits for the application in its way: as long as it may start late, without limit if it is one of several that are
// caught up, and if it alone is, until the next one is due. What ran while no operator did may have ended, and its status does not say so yet.
func (d *decider) mayWait(at time.Time, nextIsDue bool) bool {
	return d.spec.StartingDeadline != nil || d.oneOfMissed(at) || !at.After(d.Since) && !nextIsDue || d.settling()
}

// settlingTime is how long a new leader may take to write into the statuses of applications what became of them before it led.
const settlingTime = 30 * time.Second

// settling says that this process began to lead a moment ago.
func (d *decider) settling() bool {
	return !d.Now.Before(d.Since) && d.Now.Before(d.Since.Add(settlingTime))
}

// oneOfMissed says that a tick is one of several that are caught up, one after the other.
func (d *decider) oneOfMissed(at time.Time) bool {
	return d.spec.CatchUp == v1alpha1.CatchUpAll && !at.After(d.Since)
}

func (d *decider) wait(at time.Time, blocker *Child) {
	d.out.Waits = blocker
	switch deadline := d.spec.StartingDeadline; {
	case deadline != nil && !blocker.Stalled:
		d.out.Look = at.Add(deadline.Duration + 1)
	case d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace: // the next tick may end what is in the way
		d.out.Look = d.Times.Next(d.Now)
	case d.oneOfMissed(at) && !blocker.Stalled:
	case d.settling():
		d.out.Look = d.Since.Add(settlingTime)
	default:
		d.out.Look = d.Times.Next(d.Now)
	}
}

// exists reports whether the schedule has an application of that name.
func (d *decider) exists(name string) bool {
	return slices.ContainsFunc(d.Children, func(c Child) bool { return c.Name == name })
}

// isFree reports whether an application of that name may be created as things are: no other one runs, or may run, beside it.
func (d *decider) isFree(name string) bool {
	return d.spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow ||
		!slices.ContainsFunc(d.Children, func(c Child) bool { return c.mayRun() && c.Name != name })
}

// replace deletes all that is in the way of an application. It is created when they are gone: their quota is released then, and what could
// not start no longer can.
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

// blocker returns the oldest application that has not finished, other than the one of that name; nil if there is none. One that cannot start
// forbids nothing, also while it is being deleted.
func (d *decider) blocker(name string) *Child {
	var oldest *Child
	for i, c := range d.Children {
		if c.IsInTheWay() && c.Name != name && (oldest == nil || c.Created.Before(oldest.Created)) {
			oldest = &d.Children[i]
		}
	}
	return oldest
}

// blockerOf returns the application in the way of a tick; nil if there is none. One that stands still is in it while its status may say of it what was
// true before this process led, and, if the tick is one of several that are caught up, until that has had its time: what it waits for may come.
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
