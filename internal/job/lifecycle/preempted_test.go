// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

// runningWorld returns a world whose driver has run for an hour, in the second run of the application.
func runningWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.settle()
	w.runs()
	w.settle()
	w.exits(0, "Completed")
	w.settle()
	w.after(time.Minute)
	w.edit("changes runID", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "again" })
	w.settle()
	w.after(time.Minute)
	w.runs()
	w.settle()
	w.after(time.Hour)
	return w
}

// says returns the messages of the conditions of a type, with status and reason.
func (w *world) says(conditionType string) string {
	c := apimeta.FindStatusCondition(w.app.Status.Conditions, conditionType)
	if c == nil {
		return ""
	}
	return fmt.Sprintf("%s/%s: %s", c.Status, c.Reason, c.Message)
}

func (w *world) wantSays(conditionType, want string) {
	w.t.Helper()
	if got := w.says(conditionType); got != want {
		w.t.Errorf("%s says %q, want %q\n%s", conditionType, got, want, w.story())
	}
}

// counts are the numbers in the status about the attempt, and whether it holds anything.
type counts struct {
	Run, Attempt                   int64
	Failures, Preemptions, Resumes int32
	Stopping                       v1alpha1.StopReason
	Grant, Driver, Executors       bool
}

func (w *world) wantCounts(want counts) {
	w.t.Helper()
	s := &w.app.Status
	got := counts{Run: s.Run, Attempt: s.Attempt, Failures: s.Failures, Preemptions: s.Preemptions, Resumes: s.Resumes,
		Stopping: s.Stopping, Grant: s.Grant != nil, Driver: s.Driver != nil, Executors: s.Executors != nil}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("status (-want +got):\n%s\n%s", diff, w.story())
	}
}

// TestPreemptionIsToldBeforeAnythingStops: the intent, with the quota still held.
func TestPreemptionIsToldBeforeAnythingStops(t *testing.T) {
	t.Parallel()
	w := runningWorld(t)
	started := w.app.Status.Times.DriverStarted
	w.wants(queueing.ReasonPreempted, takenBack)
	d := w.pass()
	if diff := cmp.Diff([]Event{{Warning: true, Reason: "Preempted", Message: takenBack}}, d.Events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.wantCounts(counts{Run: 2, Attempt: 1, Stopping: v1alpha1.StopPreempted, Grant: true, Driver: true, Executors: true})
	w.wantSays("Admitted", "True/Admitted: the gate has admitted the attempt")
	w.wantSays("Running", "True/Running: the driver's container runs")
	w.wantSays("Ready", "Unknown/Finalizing: releases its quota: "+takenBack)
	stopped := metav1.NewTime(w.now)
	record := v1alpha1.AttemptStatus{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeStopped, Reason: "Preempted", Message: takenBack,
		StartedAt: started, FinishedAt: &stopped}
	if diff := cmp.Diff(record, lastOf(&w.app.Status)); diff != "" {
		t.Errorf("the attempt in the history (-want +got):\n%s", diff)
	}
	w.wantQuiet("while the driver ends")
}

// TestPreemptedRunWaitsAtItsOldPlace, as a new attempt that has cost nothing.
func TestPreemptedRunWaitsAtItsOldPlace(t *testing.T) {
	t.Parallel()
	w := runningWorld(t)
	before := w.app.Status.DeepCopy()
	w.room = queueing.Waiting
	w.wants(queueing.ReasonPreempted, takenBack)
	w.pass()
	w.ended(w.driverName())
	w.pass()
	w.wantCounts(counts{Run: 2, Attempt: 2, Preemptions: 1})
	w.wantSays("Admitted", "False/Preempted: "+takenBack)
	now := metav1.NewTime(w.now)
	times := v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{
		Queued: before.Times.Queued, Started: before.Times.Started, Waiting: &now,
	}}
	if ran, want := w.app.Status.RunDuration, w.now.Sub(before.Times.DriverStarted.Time); ran == nil || ran.Duration != want {
		t.Errorf("runDuration %v, want %s", ran, want)
	}
	if diff := cmp.Diff(times, w.app.Status.Times); diff != "" {
		t.Errorf("times (-want +got):\n%s", diff)
	}

	// During the wait, Admitted has the gate's message, and Ready repeats it, after it has said who took the quota.
	w.pass()
	if diff := cmp.Diff(&Start{Run: 2, Attempt: 2, QueuedAt: before.Times.Queued.Time}, w.asked); diff != "" {
		t.Errorf("the gate is asked (-want +got):\n%s", diff)
	}
	w.wantSays("Admitted", "False/WaitingForQuota: needs memory 2688Mi of 3Gi in queue team-a")
	w.wantSays("Ready", "Unknown/Preempted: needs memory 2688Mi of 3Gi in queue team-a; was preempted before: "+takenBack)
	w.wantQuiet("while it waits")

	w.room = queueing.Granted
	w.pass()
	w.wantCounts(counts{Run: 2, Attempt: 2, Preemptions: 1, Grant: true, Driver: true, Executors: true})
}

// wantQuiet checks that another pass writes and reports nothing.
func (w *world) wantQuiet(when string) {
	w.t.Helper()
	before := w.app.Status.DeepCopy()
	d := w.pass()
	if diff := cmp.Diff(*before, w.app.Status); diff != "" || len(d.Events) > 0 {
		w.t.Errorf("%s another pass tells %v and writes (-before +after):\n%s", when, d.Events, diff)
	}
}

func TestDrainedQueueIsNamedWhileItWaits(t *testing.T) {
	t.Parallel()
	w := runningWorld(t)
	w.drained = true
	w.wants(queueing.ReasonQueueHeld, "queue team-a is drained")
	d := w.pass()
	if len(d.Events) != 1 || d.Events[0].Message != "queue team-a is drained" {
		t.Errorf("events %v", d.Events)
	}
	w.ended(w.driverName())
	w.settle()
	w.wantSays("Admitted", "False/QueueHeld: queue team-a is held")
	w.wantSays("Ready", "Unknown/Preempted: queue team-a is held; was preempted before: queue team-a is drained")
}

// TestWhatStopsAnAttemptFirst combines several reasons.
func TestWhatStopsAnAttemptFirst(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		also func(w *world)
		// want is the outcome and the reason of the attempt.
		want string
	}{
		"nothing else": {func(*world) {}, "Stopped Preempted"},
		"suspended": {func(w *world) {
			w.edit("suspends", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		}, "Stopped Suspended"},
		"a new template that restarts": {func(w *world) {
			w.edit("edits", func(a *v1alpha1.SparkApplication) {
				a.Spec.OnTemplateChange, a.Spec.RunID = v1alpha1.TemplateChangeRestart, "new"
			})
		}, "Stopped TemplateChanged"},
		"a new template that waits": {func(w *world) {
			w.edit("edits", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "new" })
		}, "Stopped Preempted"},
		"the driver can never start": {func(w *world) {
			w.change(w.driverName(), func(p *pods.Record) { p.Waiting = pods.Waiting{Reason: "InvalidImageName"} })
		}, "Failed DriverStartTimeout"},
		"the driver is late to start": {func(w *world) { w.after(DefaultDriverStart) }, "Stopped Preempted"},
		"the driver has succeeded":    {func(w *world) { w.exits(0, "Completed") }, "Succeeded Succeeded"},
		"the driver has failed":       {func(w *world) { w.exits(1, "Error") }, "Failed Error"},
		"the driver was deleted":      {func(w *world) { w.ended(w.driverName()) }, "Failed DriverLost"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.settle()
			w.app.Status.Driver.UID = w.pods[w.driverName()].UID
			w.wants(queueing.ReasonPreempted, takenBack)
			tc.also(w)
			w.pass()
			last := lastOf(&w.app.Status)
			if got := strings.Join([]string{string(last.Outcome), last.Reason}, " "); got != tc.want {
				t.Errorf("the attempt ended as %s, want %s\n%s", got, tc.want, w.story())
			}
		})
	}
}
