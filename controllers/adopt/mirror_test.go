// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// in returns an application in a stage, as the operator would write it.
func in(stage status.Stage) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Name: "pi", Annotations: map[string]string{madeFrom: "m"}}}
	app.Spec.RunID, app.Status.RunID, app.Status.Run, app.Status.Attempt = "h", "h", 1, 1
	app.Status.Conditions = status.Conditions(nil, status.View{Stage: stage, Message: "because"}, metav1.NewTime(now))
	return app
}

// TestStates: each stage has one of the words that all readers understand, and a failure says why.
func TestStates(t *testing.T) {
	t.Parallel()
	want := map[status.Stage]string{
		status.New: "", status.Running: running, status.Succeeded: completed, status.Suspended: suspended, status.Idle: submitted,
		status.InvalidSpec: failed, status.NotYetSupported: failed, status.ExceedsQuota: failed, status.Deactivated: failed, status.FlavorMismatch: failed,
		status.Failed: failed, status.RetriesExceeded: failed, status.DeadlineExceeded: failed, status.TotalDeadlineExceeded: failed,
		status.AdmissionTimeout: failed, status.DriverStartTimeout: failed, status.ExecutorStartTimeout: failed, status.GateConflict: failed,
	}
	for _, stage := range status.Stages() {
		expected, other := want[stage]
		if !other {
			expected = submitted
		}
		got := stateOf(in(stage))
		if got.State != expected || (got.State == failed) != (got.ErrorMessage != "") {
			t.Errorf("%s is %+v, want %s", stage, got, expected)
		}
	}
	ending := in(status.Finalizing)
	ending.Status.Times.DriverStarted = &metav1.Time{Time: now}
	if got := stateOf(ending); got.State != running {
		t.Errorf("a driver that has run and ends is %s", got.State)
	}
	changed := in(status.Succeeded)
	changed.Spec.RunID = "other"
	if got := stateOf(changed); got.State != submitted {
		t.Errorf("what has succeeded before the spec changed is %s", got.State)
	}
	for stage, word := range map[status.Stage]string{status.InvalidSpec: failed, status.Suspended: suspended, status.Queued: submitted} {
		changed = in(stage)
		changed.Spec.RunID = "other"
		if got := stateOf(changed); got.State != word {
			t.Errorf("a changed spec that is %s is %s", stage, got.State)
		}
	}
}

// TestMirrored: what has ended does not change, nothing of an earlier run stays, and waiting is written once.
func TestMirrored(t *testing.T) {
	t.Parallel()
	done := mirrored(Status{}, in(status.Succeeded), nil, now)
	waiting := mirrored(Status{}, in(status.Queued), nil, now)
	again := in(status.Queued)
	again.Status.Run = 2
	failedBefore := Status{State: State{State: failed, ErrorMessage: "no"}, SubmissionID: "sparkgate-earlier-1", TerminationTime: &metav1.Time{Time: now}}
	for name, tc := range map[string]struct {
		old   Status
		app   *v1alpha1.SparkApplication
		state string
		same  bool
	}{
		"ended":              {done, in(status.Running), completed, true},
		"ended, another run": {done, again, submitted, false},
		"waits":              {waiting, in(status.Starting), submitted, true},
		"not looked at":      {Status{}, in(status.New), "", true},
		"a new spec":         {failedBefore, in(status.New), submitted, false},
	} {
		got := mirrored(tc.old, tc.app, nil, now)
		if got.State.State != tc.state || cmp.Equal(got, tc.old) != tc.same || got.ended() != (got.TerminationTime != nil) || got.State.ErrorMessage != "" {
			t.Errorf("%s: %+v becomes %+v", name, tc.old, got)
		}
	}
}

// TestExecutorStates: at most as many executors are named as readers need, those that run first, and what is gone has done its work.
func TestExecutorStates(t *testing.T) {
	t.Parallel()
	app := in(status.Running)
	app.UID = "u"
	record := func(i int, phase corev1.PodPhase) *pods.Record {
		return &pods.Record{Origin: &pods.Origin{AppUID: "u", Run: 1, Attempt: 1}, Name: fmt.Sprintf("pi-exec-%04d", i), Phase: phase, Role: pods.Executor}
	}
	seen := executorsOf(app, []*pods.Record{record(1, corev1.PodRunning), record(2, corev1.PodPending), record(3, corev1.PodFailed)})
	first := executorStates(nil, seen, false)
	want := map[string]string{"pi-exec-0001": "RUNNING", "pi-exec-0002": "PENDING", "pi-exec-0003": "FAILED"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("executors (-want +got):\n%s", diff)
	}
	want = map[string]string{"pi-exec-0001": "COMPLETED", "pi-exec-0002": "COMPLETED", "pi-exec-0003": "FAILED"}
	for _, records := range [][]*pods.Record{nil, seen} {
		if diff := cmp.Diff(want, executorStates(first, records, true)); diff != "" {
			t.Errorf("executors at the end (-want +got):\n%s", diff)
		}
	}
	var many []*pods.Record
	for i := range 3 * maxExecutors {
		phase := corev1.PodSucceeded
		if i >= 2*maxExecutors {
			phase = corev1.PodRunning
		}
		many = append(many, record(i, phase))
	}
	states := executorStates(first, executorsOf(app, many), false)
	if len(states) != maxExecutors || states["pi-exec-2000"] != "RUNNING" || states["pi-exec-2999"] != "RUNNING" {
		t.Errorf("%d executors of %d", len(states), len(many))
	}
}
