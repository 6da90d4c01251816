// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Unobserved is the Stage of a Summary if the operator has not looked at the application yet.
const Unobserved = "New"

// Messages about an application that the operator has not looked at: at first, and after ObservedWithin.
const (
	notObserved     = "the operator has not looked at it yet"
	notObservedLong = notObserved + ": is it running?"
)

// ObservedWithin is the age after which an application that the operator has not looked at raises doubt that the
// operator runs.
const ObservedWithin = 15 * time.Second

// Summary is one line about an application, for users.
type Summary struct {
	Namespace, Name, Queue string
	// Stage is Unobserved if the operator has not looked at the application yet.
	Stage string
	// Executors is "ready/wanted".
	Executors    string
	Run, Attempt int64
	// Age is the age of the object; RunDuration is how long the drivers of the run have run until now.
	Age, RunDuration time.Duration
	Message          string
	// Due is the time for which a schedule created the application; empty for others.
	Due string
}

// Detail returns the message without "run N, attempt N: ", with which the messages of some stages begin, for lines that
// show both numbers in columns.
func (s *Summary) Detail() string {
	return strings.TrimPrefix(s.Message, fmt.Sprintf("run %d, attempt %d: ", s.Run, s.Attempt))
}

// Progress returns the stage and the message of a run, as in "run 1, attempt 2: Running: …". A run that has not begun has
// no number.
func (s *Summary) Progress() string {
	if s.Run == 0 {
		return s.Stage + ": " + s.Message
	}
	return fmt.Sprintf("run %d, attempt %d: %s: %s", s.Run, s.Attempt, s.Stage, s.Detail())
}

// Summarize returns the summary of an application at the time now.
func Summarize(app *v1alpha1.SparkApplication, now time.Time) Summary {
	s := &app.Status
	out := Summary{
		Namespace: app.Namespace, Name: app.Name, Queue: s.Queue, Stage: Unobserved, Message: notObserved,
		Run: s.Run, Attempt: s.Attempt, Due: app.Annotations[v1alpha1.ScheduledForAnnotation], Age: now.Sub(app.CreationTimestamp.Time), RunDuration: ranFor(s, now),
	}
	if out.Age > ObservedWithin {
		out.Message = notObservedLong
	}
	if q := app.Spec.Queue; out.Queue == "" && q != nil {
		out.Queue = q.Name
	}
	if s.Executors != nil {
		out.Executors = s.Executors.Summary
	}
	if ready := meta.FindStatusCondition(s.Conditions, v1alpha1.ReadyCondition); ready != nil {
		out.Stage, out.Message = ready.Reason, ready.Message
	}
	return out
}

// StageEvent returns the reason and the message of the event that an application has reached its stage; empty if it has
// none yet.
func StageEvent(conditions []metav1.Condition) (reason, message string) {
	ready := meta.FindStatusCondition(conditions, v1alpha1.ReadyCondition)
	if ready == nil {
		return "", ""
	}
	return ready.Reason, ready.Message
}

// ranFor returns how long the drivers of the run have run, including the current one.
func ranFor(s *v1alpha1.SparkApplicationStatus, now time.Time) time.Duration {
	var ran time.Duration
	if s.RunDuration != nil {
		ran = s.RunDuration.Duration
	}
	started, stopping := s.Times.DriverStarted, s.Times.Stopping
	if started == nil || recorded(s) {
		return ran
	}
	if stopping != nil {
		now = stopping.Time
	}
	return ran + max(0, now.Sub(started.Time))
}

// recorded reports whether the current attempt has ended and is in the history.
func recorded(s *v1alpha1.SparkApplicationStatus) bool {
	n := len(s.Attempts)
	return n > 0 && s.Attempts[n-1].Run == s.Run && s.Attempts[n-1].Attempt == s.Attempt
}

// Step is a step of a run, with the time at which it was reached.
type Step struct {
	Name string
	// At is zero if the step was not reached.
	At   time.Time
	Text string
}

// Timeline returns the steps of the current run and attempt, in order. Steps that were not reached are included if the
// run can still reach them. That of the executors is left out if the driver has none.
func Timeline(app *v1alpha1.SparkApplication) []Step {
	s := &app.Status
	stage, _ := StageOf(s.Conditions)
	var steps []Step
	add := func(name string, at *metav1.Time, text string) {
		if at != nil {
			steps = append(steps, Step{name, at.Time, text})
		} else if !stage.Ended() && !stage.Blocked() {
			steps = append(steps, Step{Name: name})
		}
	}
	add("Queued", s.Times.Queued, "in queue "+cmp.Or(s.Queue, "(none)"))
	add("Admitted", s.Times.Admitted, admittedText(s))
	add("Driver", s.Times.DriverStarted, driverText(s))
	if s.Executors != nil || !stage.Ended() && (s.Ask == nil || len(s.Ask.PodSets) > 1) {
		add("Executors", s.Times.ExecutorsReady, executorsText(s.Executors))
	}
	if s.Times.Stopping != nil {
		add("Stopping", s.Times.Stopping, string(s.Stopping))
	}
	if s.Times.Retry != nil {
		add("Retry", s.Times.Retry, "the next attempt asks again")
	}
	add("End", s.Times.Finished, string(stage))
	return steps
}

func admittedText(s *v1alpha1.SparkApplicationStatus) string {
	admitted := meta.FindStatusCondition(s.Conditions, v1alpha1.AdmittedCondition)
	if admitted == nil || admitted.Status != "True" {
		return ""
	}
	return admitted.Message
}

func driverText(s *v1alpha1.SparkApplicationStatus) string {
	if s.Driver == nil {
		return ""
	}
	return "pod " + s.Driver.PodName
}

// executorsText returns why the executors count as ready.
func executorsText(e *v1alpha1.ExecutorStatus) string {
	switch {
	case e == nil:
	case e.Wanted == 0:
		return "the attempt began with none"
	case max(e.Peak, e.Ready) < e.Wanted:
		return fmt.Sprintf("of %d that the attempt began with, %d are enough", e.Wanted, max(e.Peak, e.Ready))
	}
	return "those that the attempt began with are ready"
}

// AttemptText returns how an attempt ended, in one line.
func AttemptText(a *v1alpha1.AttemptStatus) string {
	var details []string
	if a.Reason != "" && a.Reason != string(a.Outcome) {
		details = append(details, a.Reason)
	}
	if a.Cause != "" {
		details = append(details, "cause "+string(a.Cause))
	}
	if a.ExitCode != nil {
		details = append(details, fmt.Sprintf("exit code %d", *a.ExitCode))
	}
	text := string(a.Outcome)
	if len(details) > 0 {
		text += " (" + strings.Join(details, ", ") + ")"
	}
	return text
}
