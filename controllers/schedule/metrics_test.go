// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// TestCounters: recorded runs are counted by namespace, rejections are counted separately, and the series are deleted
// with their namespace.
func TestCounters(t *testing.T) {
	for _, m := range Series() { // of other tests
		m.Vec.DeletePartialMatch(nil)
	}
	now := time.Date(2026, 3, 28, 2, 30, 0, 0, time.UTC)
	r := New(Options{Clock: testingclock.NewFakePassiveClock(now), Series: metricseries.New(Series()...)})
	count := func(refused string, d tick.Decision) {
		s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "counted", Name: "nightly"}}
		out := outcome{observed: observed{o: tick.Observation{Schedule: s, Now: now}}, decision: d, refused: refused}
		countRejected(r.Series, out)
		countRecorded(r.Series, out, creation{})
	}
	passed := []tick.Passed{{Reason: v1alpha1.MissedOperatorDown}, {Reason: v1alpha1.MissedOperatorDown}, {Reason: v1alpha1.MissedNameTaken}}
	count("", tick.Decision{})
	count("", tick.Decision{Create: &tick.Run{At: now.Add(-40 * time.Second)}, Passed: passed})
	count("", tick.Decision{Create: &tick.Run{At: now.Add(time.Minute)}}) // the clock has stepped back since it was due
	count("", tick.Decision{Create: &tick.Run{Token: "now"}})
	count("exceeded quota", tick.Decision{Create: &tick.Run{At: now}, Passed: passed})
	count("exceeded quota", tick.Decision{Create: &tick.Run{Token: "now"}})
	count("exceeded quota", tick.Decision{})
	for metric, want := range map[string]string{
		"sparkgate_schedule_runs_total": `sparkgate_schedule_runs_total{namespace="counted",result="Created",trigger="Request"} 1
sparkgate_schedule_runs_total{namespace="counted",result="Created",trigger="Schedule"} 2
sparkgate_schedule_runs_total{namespace="counted",result="Refused",trigger="Request"} 1
sparkgate_schedule_runs_total{namespace="counted",result="Refused",trigger="Schedule"} 1
`,
		"sparkgate_schedule_missed_runs_total": `sparkgate_schedule_missed_runs_total{namespace="counted",reason="NameTaken"} 2
sparkgate_schedule_missed_runs_total{namespace="counted",reason="OperatorDown"} 4
`,
	} {
		vec, help := runs, "Applications that were created for schedules, and that the API server refused."
		if strings.Contains(metric, "missed") {
			vec, help = missed, "Runs of schedules that were due and were missed."
		}
		testutil.CollectAndCount(vec)
		testutil.CollectAndCount(vec) // new series are collected with 0 twice
		if err := testutil.CollectAndCompare(vec, strings.NewReader(fmt.Sprintf("# HELP %s %s\n# TYPE %[1]s counter\n%[3]s", metric, help, want))); err != nil {
			t.Error(err)
		}
	}
	if n := testutil.CollectAndCount(delay); n != 1 {
		t.Errorf("%d histograms, want 1", n)
	}
	r.Series.DropNamespace("counted")
	if n := testutil.CollectAndCount(runs) + testutil.CollectAndCount(missed) + testutil.CollectAndCount(delay); n != 0 {
		t.Errorf("%d series are left of a namespace that is gone", n)
	}
}

// TestCollector: schedules are counted by the reason of Ready, by the leader only, and only with known reasons.
func TestCollector(t *testing.T) {
	t.Parallel()
	schedule := func(namespace, name, reason string) *v1alpha1.ScheduledSparkApplication {
		s := &v1alpha1.ScheduledSparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
		if reason != "" {
			s.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: reason}}
		}
		return s
	}
	r := New(Options{Client: clientWith(t, schedule("a", "one", "Scheduled"), schedule("a", "two", "Scheduled"), schedule("a", "three", "InvalidSpec"),
		schedule("b", "one", "Suspended"), schedule("b", "two", ""), schedule("b", "three", "Invented"))})
	c := &scheduleCollector{desc: collector.desc}
	c.of.Store(r)
	if n := testutil.CollectAndCount(c); n != 0 {
		t.Errorf("%d series of a process that does not lead", n)
	}
	r.since.Store(&noon)
	const want = `# HELP sparkgate_schedules Schedules, by the reason of their condition Ready.
# TYPE sparkgate_schedules gauge
sparkgate_schedules{namespace="a",reason="InvalidSpec"} 1
sparkgate_schedules{namespace="a",reason="Scheduled"} 2
sparkgate_schedules{namespace="b",reason="Suspended"} 1
`
	if err := testutil.CollectAndCompare(c, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
