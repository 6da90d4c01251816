// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pages

import (
	"html"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestComingTimes: the next times of a schedule are those at which something is run: also while its last run has failed, not while it has a mistake,
// and not before a time until which the operator has followed it by a clock that was ahead.
func TestComingTimes(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		reason  string
		handled time.Time
		problem string
		first   string
	}{
		"it works":                    {v1alpha1.ScheduledReason, now, "", "Fri 2026-01-02 00:00 +00:00"},
		"its last run has failed":     {"LastRunFailed", now, "LastRunFailed: why", "Fri 2026-01-02 00:00 +00:00"},
		"a run cannot be created":     {"CreateFailed", now, "CreateFailed: why", "Fri 2026-01-02 00:00 +00:00"},
		"it has a mistake":            {v1alpha1.InvalidSpecReason, now, "InvalidSpec: why", ""},
		"the clock was ahead":         {v1alpha1.ScheduledReason, now.AddDate(0, 1, 0), "nothing is due until 2026-02-01T12:00:00Z", "Mon 2026-02-02 00:00 +00:00"},
		"the operator's clock is new": {v1alpha1.ScheduledReason, now.Add(time.Second), "", "Fri 2026-01-02 00:00 +00:00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &v1alpha1.ScheduledSparkApplication{}
			s.Spec.Schedule = "@daily"
			s.Status.Handled = &v1alpha1.HandledSchedule{Until: metav1.NewTime(tc.handled)}
			ready := metav1.Condition{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionFalse, Reason: tc.reason, Message: "why"}
			if tc.reason == v1alpha1.ScheduledReason {
				ready.Status = metav1.ConditionTrue
			}
			s.Status.Conditions = []metav1.Condition{ready}
			row, first := rowOf(s, now), ""
			if len(row.Coming) > 0 {
				first = row.Coming[0].Local
			}
			if first != tc.first || !strings.HasPrefix(row.Problem, tc.problem) || (row.Problem == "") != (tc.problem == "") {
				t.Errorf("due next at %q with the problem %q, want %q and %q", first, row.Problem, tc.first, tc.problem)
			}
			text, err := fragment("schedules", schedulesPage{Rows: []scheduleRow{row}, Now: now})
			if said := html.UnescapeString(string(text)); err != nil || !strings.Contains(said, tc.first) || !strings.Contains(said, tc.problem) {
				t.Errorf("%v; the page does not have both:\n%s", err, text)
			}
		})
	}
}

// TestPastTimes: a request for past times is shown while times are pending, and if it was refused.
func TestPastTimes(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]*v1alpha1.RunForStatus{
		"past times: 2 are pending, the first of them 2026-01-01T02:30:00Z; 1 were created": {Pending: []string{"2026-01-01T02:30:00Z", "2026-01-02T02:30:00Z"}, Created: 1},
		"past times: Refused: <b> is not a time":                                            {Result: v1alpha1.RunForRefused, Message: "<b> is not a time"},
		"":                                                                                  {Result: v1alpha1.RunForCreated, Created: 3},
	} {
		s := &v1alpha1.ScheduledSparkApplication{}
		s.Spec.Schedule, s.Status.RunFor = "@daily", r
		row := rowOf(s, time.Unix(0, 0))
		text, err := fragment("schedules", schedulesPage{Rows: []scheduleRow{row}})
		if row.Past != want || err != nil || !strings.Contains(string(text), html.EscapeString(want)) {
			t.Errorf("%q, %v, want %q in:\n%s", row.Past, err, want, text)
		}
	}
}
