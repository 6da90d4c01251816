// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestPastTimes: times before the schedule was created are run one after the other while it is suspended. What is not a time of it is
// refused, and a time that has an application is skipped.
func TestPastTimes(t *testing.T) {
	w := newWorld(t)
	s := w.apply("nightly", func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend, s.Spec.TimeZone = true, "UTC" })
	today := w.clock.Now().UTC().Truncate(day)
	first, second := today.Add(-30*day), today.Add(-29*day)
	request := func(value string) {
		t.Helper()
		harness.Change(t, s, func(s *v1alpha1.ScheduledSparkApplication) {
			metav1.SetMetaDataAnnotation(&s.ObjectMeta, v1alpha1.RunForAnnotation, value)
		})
	}
	becomes := func(result v1alpha1.RunForResult, created, pending, skipped int) {
		t.Helper()
		w.becomes(s, fmt.Sprintf("%s, %d created, %d pending, %d skipped", result, created, pending, skipped), func(s *v1alpha1.ScheduledSparkApplication) bool {
			r := s.Status.RunFor
			return r != nil && r.Request == s.Annotations[v1alpha1.RunForAnnotation] && r.Result == result && int(r.Created) == created &&
				len(r.Pending) == pending && len(r.Skipped) == skipped
		})
	}
	request(first.Add(time.Hour).Format(time.RFC3339))
	becomes(v1alpha1.RunForRefused, 0, 0, 0)
	if want := "is not a time of the schedule: choose " + first.Format(time.RFC3339); !strings.Contains(s.Status.RunFor.Message, want) {
		t.Errorf("refused: %s, want %s", s.Status.RunFor.Message, want)
	}
	request(second.Format(time.DateOnly) + ", " + first.Format(time.RFC3339))
	becomes("", 1, 1, 0)
	for i, at := range []time.Time{first, second} {
		app := w.child("nightly-" + minutes(at))
		driver := w.Run(app)
		if got := driver.Annotations[v1alpha1.ScheduledForAnnotation]; got != at.Format(time.RFC3339) {
			t.Errorf("the driver of run %d is scheduled for %s, want %s", i, got, at)
		}
		if all := w.children(); len(all) != i+1 {
			t.Errorf("%d applications, want %d", len(all), i+1)
		}
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	}
	becomes(v1alpha1.RunForCreated, 2, 0, 0)
	w.becomes(s, "done", func(s *v1alpha1.ScheduledSparkApplication) bool {
		return s.Status.ActiveCount == 0 && s.Status.LastSuccessfulRun != nil && s.Status.LastSuccessfulRun.Name == "nightly-"+minutes(second) && s.Status.LastRunTime == ""
	})
	request(second.Format(time.DateOnly) + " #again")
	becomes(v1alpha1.RunForSkipped, 0, 0, 1)
}
