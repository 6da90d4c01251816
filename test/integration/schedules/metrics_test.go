// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedules

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestMetrics: a run that was created an hour late, one that was passed over because of it, and a schedule with a mistake are counted.
func TestMetrics(t *testing.T) {
	w := newWorld(t)
	namespace := "namespace=" + w.Namespace
	s := w.apply("nightly", nil)
	next, err := time.Parse(time.RFC3339, s.Status.NextRunTime)
	if err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Until(next) + time.Hour)
	w.look(s)
	harness.MeasuredSoon(t, 1, "sparkgate_schedule_runs_total", namespace, "trigger=Schedule", "result=Created")
	harness.MeasuredSoon(t, 1, "sparkgate_schedule_delay_seconds", namespace)
	w.pass(s, day)
	harness.MeasuredSoon(t, 1, "sparkgate_schedule_missed_runs_total", namespace, "reason=ConcurrencyForbidden")
	harness.MeasuredSoon(t, 1, "sparkgate_schedules", namespace, "reason=Scheduled")
	w.apply("never", func(s *v1alpha1.ScheduledSparkApplication) { s.Spec.Schedule = "0 0 30 2 *" })
	harness.MeasuredSoon(t, 1, "sparkgate_schedules", namespace, "reason=InvalidSpec")
}
