// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// missedRuns returns what the status counts for one reason.
func missedRuns(reason string, count int64, last string) []v1alpha1.MissedRuns {
	return []v1alpha1.MissedRuns{{Reason: reason, Count: count, Last: last}}
}

// TestMissedByAMistake: what was due while the schedule had a mistake is counted when that is corrected, with one event,
// and none of it is run. What was due while it was suspended does not count.
func TestMissedByAMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend, s.Generation = true, 1 })
	right := ""
	w.until("12:25")
	w.change(func(s *v1alpha1.ScheduledSparkApplication) {
		right = string(s.Spec.Template.Spec.Raw)
		s.Spec.Template.Spec.Raw = []byte(strings.Replace(right, "Python", "Pyton", 1))
		s.Spec.Suspend, s.Generation = false, 2
	})
	s := w.until("12:45")
	if ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition); ready.Reason != v1alpha1.InvalidSpecReason || len(s.Status.Missed) != 0 {
		t.Fatalf("Ready %+v, missed %+v", ready, s.Status.Missed)
	}
	w.change(func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Template.Spec.Raw, s.Generation = []byte(right), 3 })
	s = w.until("12:46")
	if diff := cmp.Diff(missedRuns(v1alpha1.MissedInvalidSpec, 2, "2026-01-01T12:40:00Z"), s.Status.Missed); diff != "" {
		t.Errorf("missed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{v1alpha1.InvalidSpecReason, "MissedRuns"}, w.reasons()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.until("12:51")
	w.has("after the correction", at(50))
}

// TestMissedByAnEdit: a run that waits when the times of the schedule are edited is counted, once.
func TestMissedByAnEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
		s.Spec.ConcurrencyPolicy, s.Spec.StartingDeadline = v1alpha1.ConcurrencyForbid, &metav1.Duration{Duration: time.Hour}
	})
	w.until("12:25")
	w.has("before the edit", at(10))
	w.change(func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Schedule = "15 * * * *" })
	for _, clock := range []string{"12:26", "12:27"} {
		s := w.until(clock)
		if diff := cmp.Diff(missedRuns(v1alpha1.MissedScheduleChanged, 1, "2026-01-01T12:20:00Z"), s.Status.Missed); diff != "" || s.Status.NextRunTime != "2026-01-01T13:15:00Z" {
			t.Errorf("next run %s, missed (-want +got):\n%s", s.Status.NextRunTime, diff)
		}
	}
}

// TestSuspendedBeforeTheRecord: a run whose application was created is recorded, although the schedule is suspended or
// edited before that.
func TestSuspendedBeforeTheRecord(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*v1alpha1.ScheduledSparkApplication){
		"suspended": func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Suspend = true },
		"edited":    func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Schedule = "0 0 1 1 *" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(*v1alpha1.ScheduledSparkApplication) {})
			w.until("12:09")
			w.clock.SetTime(noon.Add(10 * time.Minute))
			w.once()
			w.has("before it is recorded", at(10))
			w.change(change)
			s := w.until("12:11")
			if diff := cmp.Diff([]string{"Created"}, w.reasons()); diff != "" || s.Status.LastRunTime != "2026-01-01T12:10:00Z" || len(s.Status.Missed) != 0 {
				t.Errorf("last run %q, missed %+v, events (-want +got):\n%s", s.Status.LastRunTime, s.Status.Missed, diff)
			}
			w.until("12:59")
			w.has("in the end", at(10))
		})
	}
}

// TestJumpUnderAllow: after a jump of the clock, the last ten runs start at once, and the others are missed.
func TestJumpUnderAllow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*v1alpha1.ScheduledSparkApplication) {})
	w.until("12:01")
	w.clock.SetTime(noon.Add(8 * time.Hour))
	s := w.until("20:05")
	if diff := cmp.Diff(missedRuns(v1alpha1.MissedNotFollowed, 38, "2026-01-01T18:20:00Z"), s.Status.Missed); diff != "" || s.Status.ActiveCount != 10 {
		t.Errorf("%d active, missed (-want +got):\n%s", s.Status.ActiveCount, diff)
	}
	want := append([]string{"Created", "MissedRuns"}, slices.Repeat([]string{"Created"}, 9)...)
	if diff := cmp.Diff(want, w.reasons()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}
