// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package tick

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

func (o *Observation) isPaused() bool { return o.Schedule.Spec.Suspend || o.Times == nil }

// isMistaken reports whether a mistake, and not a user's suspension, keeps the schedule from running.
func (o *Observation) isMistaken() bool { return o.Times == nil && !o.Schedule.Spec.Suspend }

// hasChanged reports whether the schedule was edited, suspended, resumed, broken or corrected since what was handled
// was recorded.
func (o *Observation) hasChanged(before *v1alpha1.HandledSchedule) bool {
	return before.Schedule != o.Schedule.Spec.Schedule || before.TimeZone != o.Schedule.Spec.TimeZone ||
		before.Paused != o.isPaused() || before.Mistake != o.isMistaken()
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

// followedUntil returns the time after which ticks are considered.
func (o *Observation) followedUntil() time.Time {
	before, created := o.Schedule.Status.Handled, o.Schedule.CreationTimestamp.Time
	switch {
	case before == nil:
		return created
	case before.Paused && !o.isPaused() && before.Until.Sub(o.Now) > ClockJump:
		return o.Now
	case o.hasChanged(before): // which makes no past ticks due
		return later(before.Until.Time, o.Now)
	}
	return later(before.Until.Time, created) // a backup may have restored it with its status
}

func (o *Observation) record(until time.Time) v1alpha1.HandledSchedule {
	return v1alpha1.HandledSchedule{
		Until: handledAt(until), Schedule: o.Schedule.Spec.Schedule, TimeZone: o.Schedule.Spec.TimeZone, Paused: o.isPaused(), Mistake: o.isMistaken(),
	}
}

// handledAt returns a time as it is recorded.
func handledAt(at time.Time) metav1.Time { return metav1.NewTime(at.UTC().Truncate(time.Second)) }

// due returns the ticks after a time that are due, oldest first, at most batch of them, and whether there are more.
func (o *Observation) due(after time.Time) (ticks []time.Time, more bool) {
	for at := o.Times.Next(after); !at.IsZero() && !at.After(o.Now); at = o.Times.Next(at) {
		if len(ticks) == batch {
			return ticks, true
		}
		ticks = append(ticks, at)
	}
	return ticks, false
}

// lastMade returns the last of the due ticks that has an application; the zero time unless the policy is Replace. Under
// other policies it is not needed, and computing the names of thousands of ticks behind a run that waits would be slow.
func (o *Observation) lastMade(due []time.Time) (made time.Time) {
	if o.Schedule.Spec.ConcurrencyPolicy != v1alpha1.ConcurrencyReplace {
		return made
	}
	for _, at := range slices.Backward(due) {
		if o.exists(Name(o.Schedule.Name, at)) {
			return at
		}
	}
	return made
}

// passOver returns the reason why a tick is not run, whatever else is running; empty if it may be run. next are the
// ticks after it, at least CatchUpLimit of them if so many are due.
func (o *Observation) passOver(at time.Time, next []time.Time) string {
	if deadline := o.Schedule.Spec.StartingDeadline; deadline != nil && o.Now.Sub(at) > deadline.Duration {
		return v1alpha1.MissedStartingDeadlineExceeded
	}
	if at.After(o.Since) {
		return o.giveUp(at, next)
	}
	missed := 0
	for missed < len(next) && missed < CatchUpLimit && !next[missed].After(o.Since) {
		missed++
	}
	switch o.Schedule.Spec.CatchUp {
	case v1alpha1.CatchUpAll:
		if missed < CatchUpLimit {
			return ""
		}
	case v1alpha1.CatchUpNone:
	default:
		if missed == 0 {
			return o.giveUp(at, next)
		}
	}
	return v1alpha1.MissedOperatorDown
}

// giveUp returns the reason why a tick that has not started is missed once others are due after it; empty if it is not
// missed. Under Replace the next tick would end it at once. A tick whose application the API server has refused is
// missed as well: otherwise all ticks that are due meanwhile would start as soon as the API server accepts them. Under
// Allow only the last ones start at once, which are many only if a clock was set ahead, or if the operator could not
// follow the schedule for long.
func (o *Observation) giveUp(at time.Time, next []time.Time) string {
	switch {
	case len(next) == 0:
	case o.Schedule.Spec.StartingDeadline == nil && o.Refused == Name(o.Schedule.Name, at):
		return v1alpha1.MissedCreateFailed
	case o.Schedule.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace:
		return v1alpha1.MissedReplaced
	case o.Schedule.Spec.StartingDeadline == nil && o.Schedule.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow && len(next) >= CatchUpLimit:
		return v1alpha1.MissedNotFollowed
	}
	return ""
}

// oneOfMissed reports whether a tick is one of several that are caught up one after the other.
func (o *Observation) oneOfMissed(at time.Time) bool {
	return o.Schedule.Spec.CatchUp == v1alpha1.CatchUpAll && !at.After(o.Since)
}

// settlingTime is the time that a new leader may need to update the statuses of applications that changed before it
// led.
const settlingTime = 30 * time.Second

// settling reports whether this process became the leader less than settlingTime ago.
func (o *Observation) settling() bool {
	return !o.Now.Before(o.Since) && o.Now.Before(o.Since.Add(settlingTime))
}

// child returns the application of that name; nil if there is none.
func (o *Observation) child(name string) *Child {
	for i := range o.Children {
		if o.Children[i].Name == name {
			return &o.Children[i]
		}
	}
	return nil
}

// exists reports whether the schedule has an application of that name.
func (o *Observation) exists(name string) bool { return o.child(name) != nil }

// oldest returns the oldest application, other than the one of that name, for which is holds; nil if there is none.
func (o *Observation) oldest(name string, is func(Child) bool) *Child {
	var oldest *Child
	for i, c := range o.Children {
		if is(c) && c.Name != name && (oldest == nil || c.Created.Before(oldest.Created)) {
			oldest = &o.Children[i]
		}
	}
	return oldest
}

// inTheWayOf returns the oldest other application that runs or may start to run.
func (o *Observation) inTheWayOf(name string) *Child { return o.oldest(name, Child.mayRun) }

// isFree reports whether an application of that name may be created now: either runs may overlap, or no other
// application runs or may start to run.
func (o *Observation) isFree(name string) bool {
	return o.Schedule.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyAllow || o.inTheWayOf(name) == nil
}

// blocker returns the oldest unfinished application other than the one of that name; nil if there is none. A stalled
// application blocks nothing, even while it is being deleted.
func (o *Observation) blocker(name string) *Child { return o.oldest(name, Child.IsInTheWay) }

// blockerOf returns the application in the way of a tick; nil if there is none. Besides what blocker returns, a stalled
// application counts while its status may be out of date, because this process has just become the leader, and, for one
// of several ticks that are caught up, until it has had its time: whatever it waits for may still appear.
func (o *Observation) blockerOf(name string, at time.Time, next []time.Time) *Child {
	if blocker := o.blocker(name); blocker != nil {
		return blocker
	}
	for i, c := range o.Children {
		if c.Stalled && !c.Finished && c.Name != name && (o.settling() || o.oneOfMissed(at) && !o.hadItsTime(&c, next)) {
			return &o.Children[i]
		}
	}
	return nil
}

// replaces reports whether a tick deletes the application in its way. Under Replace it does. One of several ticks that
// are caught up does so only once that application has had its time (hadItsTime): otherwise an application that never
// ends would hold up all the ticks behind it.
func (o *Observation) replaces(at time.Time, blocker *Child, next []time.Time) bool {
	return o.Schedule.Spec.ConcurrencyPolicy == v1alpha1.ConcurrencyReplace && (!o.oneOfMissed(at) || o.hadItsTime(blocker, next))
}

// hadItsTime reports whether another tick, one that was not missed, has become due since an application was created.
func (o *Observation) hadItsTime(c *Child, next []time.Time) bool {
	return len(next) > 0 && next[len(next)-1].After(later(o.Since, c.Created))
}

// mayWait reports whether a tick waits for the application in its way. It waits while it may still start late: if there
// is a starting deadline, if it is one of several that are caught up, or, if it alone was missed, until the next tick
// is due. For a run of a past time that a user has requested, it waits until then as well: such a run has no time at
// which the user could expect it. It also waits while a new leader settles: a run that ended without an operator may
// not show that in its status yet.
func (o *Observation) mayWait(at time.Time, blocker *Child, nextIsDue bool) bool {
	waitsForNext := !at.After(o.Since) || blocker.Request != ""
	return o.Schedule.Spec.StartingDeadline != nil || o.oneOfMissed(at) || waitsForNext && !nextIsDue || o.settling()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
