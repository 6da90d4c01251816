// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRuns: a day passes, and the application of the day exists, once. It is owned and labelled, and has nothing of the labels of the
// schedule.
func TestRuns(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) {
		s.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"}
		s.Spec.Template.Metadata.Labels = map[string]string{"team": "a"}
	})
	if ready := condition(s, "Ready"); ready.Status != metav1.ConditionTrue || ready.Reason != "Scheduled" || s.Status.NextRunTime == "" {
		t.Errorf("Ready %+v, next run %q", ready, s.Status.NextRunTime)
	}
	if n := len(w.children()); n != 0 {
		t.Fatalf("%d applications at once", n)
	}
	w.pass(s, day)
	w.becomes(s, "run once", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 1 && s.Status.LastRunTime != ""
	})
	app := &w.children()[0]
	due, err := time.Parse(time.RFC3339, s.Status.LastRunTime)
	if err != nil {
		t.Fatal(err)
	}
	if want := "nightly-" + minutes(due); app.Name != want || due.Unix()%86400 != 0 {
		t.Errorf("application %s for %s, want %s", app.Name, due, want)
	}
	if !metav1.IsControlledBy(app, s) || *metav1.GetControllerOf(app).BlockOwnerDeletion != true {
		t.Errorf("owners %+v", app.OwnerReferences)
	}
	if diff := cmp.Diff(map[string]string{"team": "a", v1alpha1.ScheduleLabel: "nightly"}, app.Labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	zone, err := time.LoadLocation(s.Spec.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	wantNotes := map[string]string{
		v1alpha1.ScheduledForAnnotation: s.Status.LastRunTime, v1alpha1.ScheduledDateAnnotation: s.Status.LastRunTime[:len(time.DateOnly)],
		v1alpha1.PreviousScheduledForAnnotation: due.Add(-day).In(zone).Format(time.RFC3339),
	}
	for key, want := range wantNotes {
		if got := app.Annotations[key]; got != want {
			t.Errorf("annotation %s is %q, want %q", key, got, want)
		}
	}
}

// TestForbidden: a run that is due while another one has not finished is missed, and reported. A failed run does not make the schedule
// unready; the next one starts.
func TestForbidden(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", nil)
	w.pass(s, day)
	w.becomes(s, "run once", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	app := &w.children()[0]
	w.Run(app)

	w.pass(s, day)
	w.becomes(s, "forbidden once", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return len(s.Status.Missed) == 1 && s.Status.Missed[0].Reason == v1alpha1.MissedConcurrencyForbidden && s.Status.Missed[0].Count == 1
	})
	w.Kubelet.Finish(t.Context(), w.Driver(app), 3, "Error")
	w.becomes(s, "told that it failed", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 0 && s.Status.LastFailedRun != nil && condition(s, v1alpha1.LastRunSucceededCondition).Status == metav1.ConditionFalse
	})
	if ready := condition(s, "Ready"); ready.Status != metav1.ConditionTrue {
		t.Errorf("a failed run makes the schedule unready: %+v", ready)
	}
	w.pass(s, day)
	w.becomes(s, "run again", func(s *v1alpha1.ScheduledSparkApplication) bool { return s.Status.ActiveCount == 1 })
	if n := len(w.children()); n != 2 {
		t.Errorf("%d applications, want 2", n)
	}
}

// TestAskedFor: forceAt runs once, also while the schedule is suspended; what is due then is not run, not even later.
func TestAskedFor(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend = true })
	if ready := condition(s, "Ready"); ready.Status != metav1.ConditionTrue || ready.Reason != "Suspended" || s.Status.NextRunTime != "" {
		t.Errorf("Ready %+v, next run %q", ready, s.Status.NextRunTime)
	}
	w.pass(s, 5*day)
	harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) {
		s.Annotations["reconcile.fluxcd.io/forceAt"] = "now"
		s.Annotations["reconcile.fluxcd.io/requestedAt"] = "now"
	})
	w.becomes(s, "run", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.LastHandledForceAt == "now" && s.Status.ActiveCount == 1
	})
	harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend = false })
	w.observed(s)
	w.look(s)
	if all := w.children(); len(all) != 1 || !strings.HasPrefix(all[0].Name, "nightly-m-") {
		t.Errorf("%d applications: %v", len(all), all)
	}
}

func minutes(at time.Time) string { return strconv.FormatInt(at.Unix()/60, 10) }
