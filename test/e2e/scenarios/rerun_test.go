// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func runAttempt(run int64) env.Attempt { return env.Attempt{Run: run, Attempt: 1} }

// A job runs again when its template changes, and only then.
func TestJobRunsAgainWhenItsTemplateChanges(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	app := env.Pi("again", s.Name, env.Brief("1"))
	s.Apply(env.Queue(s.Name, "1", "3Gi"), app)
	s.Becomes("again", v1alpha1.SucceededReason)

	app.Spec.Arguments = []string{"2"}
	s.Apply(app)
	s.Reaches("again", runAttempt(2), v1alpha1.SucceededReason)
	checkAnotherRun(t, s.Versions("again"))

	app.Spec.RunID = "once more"
	s.Apply(app)
	s.Reaches("again", runAttempt(3), v1alpha1.SucceededReason)

	app.Labels = map[string]string{"team": "a"}
	app.Spec.Timeouts = &v1alpha1.Timeouts{DriverStart: &metav1.Duration{Duration: 5 * time.Minute}}
	app.Spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionAlways, Duration: &metav1.Duration{Duration: time.Hour}}
	s.Apply(app)
	s.Kubectl("patch", "sgapp", "again", "--type=merge", "--patch", `{"spec":{"suspend":false}}`)
	if now := s.Becomes("again", v1alpha1.SucceededReason); now.Status.Run != 3 {
		t.Errorf("labels, timeouts, retention and suspend have led to run %d", now.Status.Run)
	}

	force(s, "token-1")
	s.Reaches("again", runAttempt(4), v1alpha1.SucceededReason)
	checkForced(t, s.Versions("again"))
	// When this change is visible, a second run would be visible as well.
	app.Spec.Timeouts.DriverStart.Duration = 6 * time.Minute
	s.Apply(app)
	now := s.Becomes("again", v1alpha1.SucceededReason)
	if drivers := s.Pods("again", v1alpha1.SparkRoleDriver); now.Status.Run != 4 || len(drivers) != 4 {
		t.Errorf("there are %d runs and %d drivers, want 4 of each", now.Status.Run, len(drivers))
	}
	s.GivenBack(s.Name)
}

// force requests another run as Flux does.
func force(s *env.Namespace, token string) {
	s.Kubectl("annotate", "sgapp", "again", "reconcile.fluxcd.io/requestedAt="+token, "reconcile.fluxcd.io/forceAt="+token)
}

// checkAnotherRun checks that a new generation is not observed before its run is planned, that Ready is unknown until
// the end, and that the history keeps the first run.
func checkAnotherRun(t *testing.T, versions []*v1alpha1.SparkApplication) {
	t.Helper()
	waited := false
	for _, v := range versions {
		switch {
		case v.Generation < 2:
		case v.Status.Run == 1:
			waited = true
			if v.Status.ObservedGeneration == v.Generation {
				t.Errorf("generation %d counts as observed while run 1 is all there is", v.Generation)
			}
		default:
			ready := env.Condition(v, v1alpha1.ReadyCondition)
			if ready.Status != metav1.ConditionUnknown && ready.Reason != v1alpha1.SucceededReason {
				t.Errorf("Ready is %s/%s in run 2", ready.Status, ready.Reason)
			}
			if a := v.Status.Attempts; len(a) == 0 || a[0].Run != 1 || a[0].Outcome != v1alpha1.OutcomeSucceeded {
				t.Errorf("the history has lost run 1: %+v", a)
			}
		}
	}
	if !waited {
		t.Error("no version shows the new generation before its run")
	}
}

// checkForced checks that the token is echoed in the very version that begins the run.
func checkForced(t *testing.T, versions []*v1alpha1.SparkApplication) {
	t.Helper()
	for _, v := range versions {
		if echoed := v.Status.LastHandledForceAt == "token-1"; echoed != (v.Status.Run == 4) {
			t.Errorf("in run %d, stage %s, lastHandledForceAt is %q", v.Status.Run, env.StageOf(v), v.Status.LastHandledForceAt)
		}
	}
}

func TestAnEditDuringTheRunWaitsForItsEnd(t *testing.T) {
	t.Parallel()
	s := env.NewTenant(t, 1)
	app := env.Pi("edited", s.Name, env.Sleep("5"))
	app.Spec.Executor.Instances = ptr.To[int32](1)
	s.Apply(env.Queue(s.Name, "1", "3Gi"), app)
	s.Reaches("edited", env.First, v1alpha1.RunningReason)

	env.Brief()(&app.Spec)
	s.Apply(app)
	end := s.Reaches("edited", runAttempt(2), v1alpha1.SucceededReason)
	if a := end.Status.Attempts; len(a) != 2 || a[0].Outcome != v1alpha1.OutcomeSucceeded || a[1].Outcome != v1alpha1.OutcomeSucceeded {
		t.Errorf("the history is %+v, want the first run to its own end and the second", a)
	}
}
