// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package printer

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/testing/golden"
)

// now is the time of the golden files.
var now = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// ago returns a moment before now.
func ago(d time.Duration) *metav1.Time { return &metav1.Time{Time: now.Add(-d)} }

// staged returns an application in a stage, with a change.
func staged(name, stage, message string, change func(*v1alpha1.SparkApplicationStatus)) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: name, CreationTimestamp: *ago(2 * time.Hour)}}
	app.Spec.Queue = &v1alpha1.QueueReference{Name: "team-a"}
	if stage == "" {
		return app
	}
	app.Status = v1alpha1.SparkApplicationStatus{
		Run: 1, Attempt: 1, Queue: "team-a", Times: v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: ago(2 * time.Hour)}},
		Conditions: []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionUnknown, Reason: stage, Message: message}},
	}
	if change != nil {
		change(&app.Status)
	}
	return app
}

// admitted adds the gate's word.
func admitted(s *v1alpha1.SparkApplicationStatus, is metav1.ConditionStatus, reason, message string) {
	s.Conditions = append(s.Conditions, metav1.Condition{Type: v1alpha1.AdmittedCondition, Status: is, Reason: reason, Message: message})
}

// runs is the status while the driver runs.
func runs(s *v1alpha1.SparkApplicationStatus) {
	admitted(s, metav1.ConditionTrue, v1alpha1.AdmittedReason, "admitted to queue team-a")
	s.Times.Admitted, s.Times.DriverStarted, s.Times.ExecutorsReady = ago(90*time.Minute), ago(89*time.Minute), ago(88*time.Minute)
	s.Driver = &v1alpha1.DriverStatus{PodName: s.Queue + "-1-1-driver", ApplicationID: "spark-1", UIAddress: "http://pi-ui.etl.svc:4040"}
	s.Executors = &v1alpha1.ExecutorStatus{Wanted: 4, Ready: 4, Summary: "4/4"}
}

// failed returns an attempt that failed.
func failed(attempt int64) v1alpha1.AttemptStatus {
	return v1alpha1.AttemptStatus{
		Run: 1, Attempt: attempt, Outcome: v1alpha1.OutcomeFailed, Reason: "DriverFailed", Cause: v1alpha1.CauseApplication, ExitCode: ptr.To[int32](1),
		Message:   "driver ended with exit code 1: ValueError: no such column \"x\"",
		StartedAt: ago(80 * time.Minute), FinishedAt: ago(70 * time.Minute),
	}
}

// TestRunsOfSchedules: the schedule is named, and the time that the run is for.
func TestRunsOfSchedules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ due, request, want string }{
		{"2026-09-01T02:30:00+02:00", "", "Schedule   nightly, due at 2026-09-01T02:30:00+02:00\n"},
		{"2026-09-01T02:30:00+02:00", "a1b2", "Schedule   nightly, requested for 2026-09-01T02:30:00+02:00\n"},
		{"", "", "Schedule   nightly, requested outside its times\n"},
	} {
		due, want := tt.due, tt.want
		app := staged("nightly-29766840", v1alpha1.RunningReason, "the driver runs", runs)
		app.OwnerReferences = []metav1.OwnerReference{{Kind: v1alpha1.ScheduledSparkApplicationKind, Name: "nightly", Controller: ptr.To(true)}}
		if due != "" {
			app.Annotations = map[string]string{v1alpha1.ScheduledForAnnotation: due, v1alpha1.RunForRequestAnnotation: tt.request}
		}
		var out bytes.Buffer
		if err := WriteDetails(&out, app, now); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v, no %q in:\n%s", err, want, out.String())
		}
		out.Reset()
		if err := WriteList(&out, []status.Summary{status.Summarize(app, now)}, ListOptions{Wide: true}); err != nil || !strings.Contains(out.String(), due) {
			t.Errorf("%v, no %q in:\n%s", err, due, out.String())
		}
	}
}

// stories returns applications in the stages that look different.
func stories() []*v1alpha1.SparkApplication {
	return []*v1alpha1.SparkApplication{
		staged("new", "", "", nil),
		staged("queued", v1alpha1.QueuedReason, "needs cpu 4 of flavor default; 2 are free", func(s *v1alpha1.SparkApplicationStatus) {
			s.Times.Waiting = s.Times.Queued
			admitted(s, metav1.ConditionFalse, v1alpha1.WaitingForQuotaReason, "needs cpu 4 of flavor default; 2 are free")
		}),
		staged("requeued", v1alpha1.QueuedReason, "attempt 1 released its quota: 0 of 2 executors were ready; attempt 2 will be queued at 2026-09-01T12:04:00Z",
			func(s *v1alpha1.SparkApplicationStatus) {
				s.Times.Retry = ago(-4 * time.Minute)
				admitted(s, metav1.ConditionFalse, v1alpha1.WaitingForGateReason, "the gate has not admitted the attempt")
			}),
		staged("starting", v1alpha1.StartingReason, "the driver pod waits for its image", func(s *v1alpha1.SparkApplicationStatus) {
			runs(s)
			s.Times.DriverStarted, s.Times.ExecutorsReady, s.Executors.Summary = nil, nil, "0/4"
		}),
		staged("running", v1alpha1.RunningReason, "the driver runs", func(s *v1alpha1.SparkApplicationStatus) {
			runs(s)
			s.Executors.Failed = 1
			s.Executors.Failures = []v1alpha1.ExecutorFailure{{Pod: "running-exec-3", Reason: "OOMKilled", Message: "executor ended with exit code 137"}}
		}),
		staged("stopping", v1alpha1.FinalizingReason, "preempted by etl/big", func(s *v1alpha1.SparkApplicationStatus) {
			runs(s)
			s.Times.Stopping, s.Stopping = ago(time.Minute), v1alpha1.StopPreempted
		}),
		staged("retrying", v1alpha1.AttemptFailedReason, "attempt 1 failed; the next one asks in 30s", func(s *v1alpha1.SparkApplicationStatus) {
			s.Failures, s.Times.Retry, s.Attempts = 1, ago(-30*time.Second), []v1alpha1.AttemptStatus{failed(1)}
			s.RunDuration = &metav1.Duration{Duration: 10 * time.Minute}
		}),
		staged("suspended", v1alpha1.SuspendedReason, "held by spec.suspend", nil),
		staged("invalid", v1alpha1.InvalidSpecReason, "spec.image: value \"\" is empty", func(s *v1alpha1.SparkApplicationStatus) { s.Times = v1alpha1.ApplicationTimes{} }),
		staged("succeeded", v1alpha1.SucceededReason, "the driver ended with exit code 0", func(s *v1alpha1.SparkApplicationStatus) {
			runs(s)
			s.Times.Stopping, s.Times.Finished, s.RunDuration = ago(61*time.Minute), ago(time.Hour), &metav1.Duration{Duration: 28 * time.Minute}
			s.Attempts = []v1alpha1.AttemptStatus{{Run: 1, Attempt: 1, Outcome: v1alpha1.OutcomeSucceeded, StartedAt: ago(89 * time.Minute), FinishedAt: ago(61 * time.Minute)}}
		}),
		staged("pending", v1alpha1.RunningReason, "run 1, attempt 1: 0 of 4 executors are ready: the executor pod is unschedulable: Insufficient cpu; "+
			"without them, the attempt releases its quota at 2026-09-01T12:26:00Z and asks again; driver pod pending-1-1-driver is running", runs),
		staged("ended", v1alpha1.FailedReason, "run 1 failed: driver ended with exit code 1: ValueError: no such column \"x\"", runs),
		staged("failed", v1alpha1.RetriesExceededReason, "all 2 attempts failed;\nthe last one: driver ended with exit code 1", func(s *v1alpha1.SparkApplicationStatus) {
			runs(s)
			s.Attempt, s.Failures, s.Times.Finished, s.RunDuration = 2, 2, ago(time.Hour), &metav1.Duration{Duration: 20 * time.Minute}
			s.Attempts = []v1alpha1.AttemptStatus{failed(1), failed(2)}
		}),
	}
}

// TestDetails: one page for each stage that looks different.
func TestDetails(t *testing.T) {
	t.Parallel()
	for _, app := range stories() {
		var out bytes.Buffer
		if err := WriteDetails(&out, app, now); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, "testdata/get-"+app.Name+".txt", out.String())
	}
}

// TestList: the table, with more columns, and in terminals that are too narrow for it.
func TestList(t *testing.T) {
	t.Parallel()
	var all []status.Summary
	for _, app := range stories() {
		row := status.Summarize(app, now)
		row.Message = WithTimeLeft(row.Message, now)
		all = append(all, row)
	}
	for name, options := range map[string]ListOptions{
		"list.txt": {}, "list-wide.txt": {Namespaces: true, Wide: true}, "list-100.txt": {Width: 100}, "list-40.txt": {Width: 40}, "list-80.txt": {Width: 80, Fold: true}, "list-120.txt": {Width: 120, Fold: true, NoHeaders: true},
	} {
		var out bytes.Buffer
		if err := WriteList(&out, all, options); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(out.String(), "\n"); !options.Fold && lines != len(all)+1 {
			t.Errorf("%s has %d lines", name, lines)
		}
		if width := options.Width; width >= 100 {
			for line := range strings.Lines(out.String()) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%s: a line has %d characters: %s", name, n, line)
				}
			}
		}
		golden.Compare(t, "testdata/"+name, out.String())
	}
}
