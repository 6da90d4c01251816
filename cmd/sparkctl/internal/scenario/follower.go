// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cron"
	"github.com/sparkgate/sparkgate/internal/job/tick"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/simulator"
)

// follower follows a schedule in virtual time, as the operator does in real time. It implements simulator.Schedule.
type follower struct {
	schedule *v1alpha1.ScheduledSparkApplication
	times    *cron.Schedule
	// from is the time of the virtual time 0. Runs that are due at until or later are ignored.
	from, until time.Time
	// ask is the ask of each application, without its key. runFor is how long each application runs.
	ask    queueing.Ask
	runFor time.Duration
	// children are the applications that have not ended.
	children []tick.Child
}

// newFollower returns a follower of a schedule without mistakes.
func newFollower(schedule *v1alpha1.ScheduledSparkApplication, times *cron.Schedule, period *schedules) *follower {
	own := schedule.DeepCopy()
	own.Status = v1alpha1.ScheduledSparkApplicationStatus{}
	own.CreationTimestamp = metav1.NewTime(period.From.Add(-time.Second)) // so that a run that is due at time 0 is not missed
	return &follower{schedule: own, times: times, from: period.From, until: period.Until}
}

// Name implements simulator.Schedule.
func (f *follower) Name() string { return f.schedule.Namespace + "/" + f.schedule.Name }

// Step implements simulator.Schedule.
func (f *follower) Step(now time.Duration, ended []queueing.Key, refused func(queueing.Key) bool) (step simulator.Step) {
	f.children = slices.DeleteFunc(f.children, func(c tick.Child) bool { return slices.Contains(ended, f.key(c.Name)) })
	for i := range f.children {
		f.children[i].Stalled = refused(f.key(f.children[i].Name))
	}
	for at := f.from.Add(now); f.isDue(at); {
		d := tick.Decide(tick.Observation{Schedule: f.schedule, Times: f.times, Now: at, Children: f.children})
		f.schedule.Status.Handled = &d.Handled
		f.passOver(&step, d.Passed)
		f.create(&step, d.Create, at)
		f.delete(&step, d)
		if !d.Again || len(step.Delete) > 0 {
			step.Look = f.look(d.Look, at)
			return step
		}
	}
	step.Look = f.look(f.next(), f.from.Add(now))
	return step
}

func (f *follower) key(name string) queueing.Key {
	return queueing.Key{Namespace: f.schedule.Namespace, Name: name}
}

// next returns the next time that has not been handled.
func (f *follower) next() time.Time {
	if handled := f.schedule.Status.Handled; handled != nil {
		return f.times.Next(handled.Until.Time)
	}
	return f.times.Next(f.schedule.CreationTimestamp.Time)
}

// isDue reports whether a run before until is due and has not been handled.
func (f *follower) isDue(now time.Time) bool {
	next := f.next()
	return !next.IsZero() && next.Before(f.until) && !next.After(now)
}

// look returns when to step again, or 0 for never.
func (f *follower) look(at, now time.Time) time.Duration {
	if f.schedule.Spec.Suspend || at.IsZero() || !at.After(now) || !f.next().Before(f.until) {
		return 0
	}
	wait := at.Sub(f.from)
	if part := wait % time.Second; part > 0 {
		wait += time.Second - part // round up, to be just after a deadline
	}
	return wait
}

// passOver adds the missed runs to the step.
func (f *follower) passOver(step *simulator.Step, passed []tick.Passed) {
	for _, p := range passed {
		if !p.At.Before(f.until) {
			continue
		}
		missed := simulator.PassedOver{
			Key: f.key(tick.Name(f.schedule.Name, p.At)), Queue: f.ask.Queue, For: p.At.Format(time.RFC3339), Reason: p.Reason,
		}
		switch {
		case p.Blocker != nil:
			missed.Message = f.key(p.Blocker.Name).String() + " has not finished"
		case p.Reason == v1alpha1.MissedReplaced:
			missed.Message = "a later run took its place"
		case p.Reason == v1alpha1.MissedStartingDeadlineExceeded:
			missed.Message = fmt.Sprintf("it could not start within %s", f.schedule.Spec.StartingDeadline.Duration)
		}
		step.PassedOver = append(step.PassedOver, missed)
	}
}

// create adds the application of a run to the step.
func (f *follower) create(step *simulator.Step, run *tick.Run, now time.Time) {
	if run == nil || !run.At.Before(f.until) {
		return
	}
	f.children = append(f.children, tick.Child{Name: run.Name, Created: now})
	arrival := simulator.Arrival{RunFor: f.runFor, Ask: f.ask}
	arrival.Ask.Key = f.key(run.Name)
	step.Create = append(step.Create, simulator.Creation{Arrival: arrival, For: run.At.Format(time.RFC3339)})
}

// delete adds the deletions of applications that block the run to the step.
func (f *follower) delete(step *simulator.Step, d tick.Decision) {
	for _, c := range d.Delete {
		step.Delete = append(step.Delete, simulator.Deletion{Key: f.key(c.Name), By: f.key(tick.Name(f.schedule.Name, f.next()))})
	}
}
