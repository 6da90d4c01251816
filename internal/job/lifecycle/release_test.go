// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// leaving returns an application in a stage, at run 2 and some attempt, whose history ends with an entry.
func leaving(stage status.Stage, attempt int64, last *v1alpha1.AttemptStatus) *v1alpha1.SparkApplication {
	app := &v1alpha1.SparkApplication{}
	app.Status.Run, app.Status.Attempt = 2, attempt
	app.Status.Conditions = status.Conditions(nil, status.View{Stage: stage, Message: "m"}, metav1.Now())
	if last != nil {
		app.Status.Attempts = []v1alpha1.AttemptStatus{*last}
	}
	return app
}

func TestRelease(t *testing.T) {
	t.Parallel()
	entry := func(run, attempt int64, outcome v1alpha1.AttemptOutcome) *v1alpha1.AttemptStatus {
		return &v1alpha1.AttemptStatus{Run: run, Attempt: attempt, Outcome: outcome, Message: "why"}
	}
	end := func(run, attempt int64, succeeded bool) *queueing.AttemptResult {
		return &queueing.AttemptResult{Run: run, Attempt: attempt, Succeeded: succeeded, Message: "why"}
	}
	stopped, failed, succeeded := v1alpha1.OutcomeStopped, v1alpha1.OutcomeFailed, v1alpha1.OutcomeSucceeded
	pausing := func(app *v1alpha1.SparkApplication) *v1alpha1.SparkApplication {
		now := metav1.Now()
		app.Status.Times.Retry = &now
		return app
	}
	deleted := leaving(status.Running, 1, nil)
	now := metav1.Now()
	deleted.DeletionTimestamp = &now
	for name, tt := range map[string]struct {
		app  *v1alpha1.SparkApplication
		want queueing.Release
	}{
		"deleted":                              {deleted, queueing.Release{Reason: queueing.Deleted}},
		"succeeded":                            {leaving(status.Succeeded, 1, entry(2, 1, succeeded)), queueing.Release{Reason: queueing.Abandoned, Ended: end(2, 1, true)}},
		"failed":                               {leaving(status.Failed, 3, entry(2, 3, failed)), queueing.Release{Reason: queueing.Abandoned, Ended: end(2, 3, false)}},
		"failed, to be tried again":            {pausing(leaving(status.AttemptFailed, 2, entry(2, 1, failed))), queueing.Release{Reason: queueing.Abandoned, Ended: end(2, 1, false)}},
		"preempted":                            {leaving(status.Preempted, 2, entry(2, 1, stopped)), queueing.Release{Reason: queueing.Requeued, Message: "why"}},
		"executors did not start":              {pausing(leaving(status.Queued, 2, entry(2, 1, stopped))), queueing.Release{Reason: queueing.Suspended, Message: "why"}},
		"suspended while it ran":               {leaving(status.Suspended, 1, entry(2, 1, stopped)), queueing.Release{Reason: queueing.Abandoned}},
		"suspended while it waited":            {leaving(status.Suspended, 1, nil), queueing.Release{Reason: queueing.Abandoned}},
		"suspended after a failure":            {leaving(status.Suspended, 2, entry(2, 1, failed)), queueing.Release{Reason: queueing.Abandoned, Ended: end(2, 1, false)}},
		"preempted, then something is missing": {leaving(status.ReferenceNotFound, 2, entry(2, 1, stopped)), queueing.Release{Reason: queueing.Abandoned}},
		"another run before it began":          {leaving(status.Queued, 1, nil), queueing.Release{Reason: queueing.Abandoned}},
		"another run after a success":          {leaving(status.Queued, 1, entry(1, 4, succeeded)), queueing.Release{Reason: queueing.Abandoned, Ended: end(1, 4, true)}},
		"another run instead of the one ended": {leaving(status.Queued, 1, entry(1, 4, stopped)), queueing.Release{Reason: queueing.Abandoned}},
		"spec turned invalid":                  {leaving(status.InvalidSpec, 1, nil), queueing.Release{Reason: queueing.Abandoned}},
		"an end long ago":                      {leaving(status.InvalidSpec, 1, entry(0, 1, failed)), queueing.Release{Reason: queueing.Abandoned}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, Release(tt.app)); diff != "" {
				t.Errorf("release (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	now := metav1.Now()
	holding := func(stage status.Stage, ready bool, executors *v1alpha1.ExecutorStatus) *v1alpha1.SparkApplication {
		app := leaving(stage, 1, nil)
		app.Status.Grant = &v1alpha1.Grant{Run: 2, Attempt: 1, Gate: v1alpha1.GateKueue}
		app.Status.Executors = executors
		if ready {
			app.Status.Times.ExecutorsReady = &now
		}
		return app
	}
	for name, tt := range map[string]struct {
		app   *v1alpha1.SparkApplication
		runs  bool
		phase queueing.Phase
	}{
		"waits":                     {leaving(status.Queued, 1, nil), false, 0},
		"submitting":                {holding(status.Submitting, false, nil), true, queueing.AttemptStarting},
		"not all executors yet":     {holding(status.Running, false, &v1alpha1.ExecutorStatus{Wanted: 2, Ready: 1, Pending: 1}), true, queueing.AttemptStarting},
		"all were ready":            {holding(status.Running, true, &v1alpha1.ExecutorStatus{Wanted: 2, Ready: 2}), true, queueing.AttemptPodsReady},
		"one was lost":              {holding(status.Running, true, &v1alpha1.ExecutorStatus{Wanted: 2, Ready: 1, Pending: 1}), true, queueing.AttemptPodsReady},
		"all were lost":             {holding(status.Running, true, &v1alpha1.ExecutorStatus{Wanted: 2, Pending: 2}), true, queueing.AttemptPodsLost},
		"all were let go when idle": {holding(status.Running, true, &v1alpha1.ExecutorStatus{Wanted: 1}), true, queueing.AttemptPodsReady},
		"ending":                    {holding(status.Finalizing, true, nil), false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, runs := Progress(tt.app)
			if runs != tt.runs || got.Phase != tt.phase || runs && (got.Run != 2 || got.Attempt != 1) {
				t.Errorf("progress %+v, %t; want phase %d, %t", got, runs, tt.phase, tt.runs)
			}
		})
	}
}
