// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/queueing"
)

// counted is one application in a namespace of its own, so that its metrics are separate.
type counted struct {
	t   *testing.T
	r   *Reconciler
	app *v1alpha1.SparkApplication
}

func newCounted(t *testing.T) *counted {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-"))}}
	app.Status = v1alpha1.SparkApplicationStatus{Queue: "team-a", Run: 1, Attempt: 1}
	r := New(Options{Series: metricseries.New(Series()...)})
	r.Series.Configure([]string{"team-a", "team-b"})
	return &counted{t, r, app}
}

// write records a successful write of the status in a stage, after a change.
func (c *counted) write(stage string, change func(*v1alpha1.SparkApplicationStatus)) {
	after := c.app.DeepCopy()
	after.Status.Conditions = []metav1.Condition{{Type: "Ready", Reason: stage}}
	change(&after.Status)
	countChange(c.r.Series, c.app, after, nil)
	c.app = after
}

// asIs returns the label value of a configured queue.
func asIs(queue string) string { return queue }

func (c *counted) expect(what string, want, got float64) {
	c.t.Helper()
	if got != want {
		c.t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func second(n int64) *metav1.Time {
	t := metav1.Unix(1000+n, 0)
	return &t
}

func failedAttempt(run, attempt int64, cause v1alpha1.FailureCause, reason string) v1alpha1.AttemptStatus {
	return v1alpha1.AttemptStatus{Run: run, Attempt: attempt, Outcome: v1alpha1.OutcomeFailed, Cause: cause, Reason: reason,
		StartedAt: second(10), FinishedAt: second(70)}
}

// TestLifeIsCounted: there are two attempts, the second of which ends the run. Every write is repeated without a
// change, as after a restart.
func TestLifeIsCounted(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	again := func(*v1alpha1.SparkApplicationStatus) {}
	for _, step := range []struct {
		stage  string
		change func(*v1alpha1.SparkApplicationStatus)
	}{
		{"Submitting", func(s *v1alpha1.SparkApplicationStatus) { s.Times.Queued, s.Times.Admitted = second(0), second(3) }},
		{"Running", func(s *v1alpha1.SparkApplicationStatus) { s.Times.DriverStarted = second(10) }},
		{"Finalizing", func(s *v1alpha1.SparkApplicationStatus) {
			s.Attempts = append(s.Attempts, failedAttempt(1, 1, v1alpha1.CauseInfrastructure, "NodeLost"))
		}},
		{"AttemptFailed", func(s *v1alpha1.SparkApplicationStatus) {
			s.Attempt, s.Times = 2, v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: second(80)}}
		}},
		{"Submitting", func(s *v1alpha1.SparkApplicationStatus) { s.Times.Admitted = second(81) }},
		// It ran and ended between two looks.
		{"Succeeded", func(s *v1alpha1.SparkApplicationStatus) {
			s.Times.DriverStarted, s.Times.Finished = second(90), second(91)
			s.Attempts = append(s.Attempts, v1alpha1.AttemptStatus{Run: 1, Attempt: 2, Outcome: v1alpha1.OutcomeSucceeded, Reason: "Succeeded"})
		}},
	} {
		c.write(step.stage, step.change)
		c.write(step.stage, again)
	}
	ns := c.app.Namespace
	c.expect("runs", 1, runs.Total(ns, "team-a", "Succeeded"))
	c.expect("failed attempts", 1, attempts.Total(ns, "team-a", "Failed", "Infrastructure", "NodeLost"))
	c.expect("good attempts", 1, attempts.Total(ns, "team-a", "Succeeded", "", "Succeeded"))
	c.expect("Submitting", 2, transitions.Total(ns, "team-a", "Submitting"))
	for name, want := range map[string]struct {
		count uint64
		sum   float64
	}{
		"sparkgate_driver_start_seconds":     {2, 7 + 9},
		"sparkgate_attempt_duration_seconds": {1, 60},
		"sparkgate_admission_wait_seconds":   {2, 3 + 1},
	} {
		if count, sum := observed(t, name, ns); count != want.count || sum != want.sum {
			t.Errorf("%s: %d times, together %v s; want %d times, %v s", name, count, sum, want.count, want.sum)
		}
	}
}

// observed returns the number of observations of a histogram for a namespace, and their sum.
func observed(t *testing.T, name, namespace string) (count uint64, sum float64) {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if family.GetName() == name && l.GetName() == "namespace" && l.GetValue() == namespace {
					count, sum = count+m.GetHistogram().GetSampleCount(), sum+m.GetHistogram().GetSampleSum()
				}
			}
		}
	}
	return count, sum
}

// TestRunsThatAreReplaced end only in the history. The queue is the one in which they ran.
func TestRunsThatAreReplaced(t *testing.T) {
	t.Parallel()
	stopped := v1alpha1.AttemptStatus{Run: 1, Attempt: 1, Outcome: v1alpha1.OutcomeStopped, Reason: "TemplateChanged"}
	tests := map[string]struct {
		history  []v1alpha1.AttemptStatus
		finished *metav1.Time
		outcome  string
		want     float64
	}{
		"stopped":               {[]v1alpha1.AttemptStatus{stopped}, nil, outcomeReplaced, 1},
		"failed":                {[]v1alpha1.AttemptStatus{failedAttempt(1, 1, "Application", "Error")}, nil, "Failed", 1},
		"never started":         {nil, nil, outcomeReplaced, 1},
		"counted when it ended": {[]v1alpha1.AttemptStatus{failedAttempt(1, 1, "Application", "Error")}, second(5), "Failed", 0},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCounted(t)
			c.app.Status.Attempts, c.app.Status.Times.Finished = tc.history, tc.finished
			c.write("Queued", func(s *v1alpha1.SparkApplicationStatus) {
				s.Run, s.Attempt, s.Queue, s.Times = 2, 1, "team-b", v1alpha1.ApplicationTimes{}
			})
			c.expect("runs", tc.want, runs.Total(c.app.Namespace, "team-a", tc.outcome))
			c.expect("runs of the next queue", 0, runs.Total(c.app.Namespace, "team-b", tc.outcome))
		})
	}
}

// TestLiveApplications: applications are counted by stage, without those that have ended, and only once this process is
// the leader.
func TestLiveApplications(t *testing.T) {
	t.Parallel()
	known := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(known); err != nil {
		t.Fatal(err)
	}
	builder := fake.NewClientBuilder().WithScheme(known).WithIndex(&v1alpha1.SparkApplication{}, cachetransform.UnpackedIndex, cachetransform.IndexUnpacked)
	for name, stage := range map[string]string{"a": "Running", "b": "Running", "c": "Queued", "d": "Succeeded", "e": "Failed", "f": "OfAUnknownStage"} {
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "live", Name: name}}
		app.Status.Queue, app.Status.Conditions = "team-a", []metav1.Condition{{Type: "Ready", Reason: stage}}
		if name == "a" {
			app.Status.Conditions = append(app.Status.Conditions, metav1.Condition{Type: "NodeLost", Status: metav1.ConditionTrue, Reason: "NodeLost"})
		}
		if stage == "Queued" || stage == "Failed" { // what the latter has from an older operator does not count
			app.Status.Times.Waiting = second(0)
		}
		builder = builder.WithObjects(app)
	}
	builder = builder.WithObjects(&v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "live", Name: "new"}})
	for i := range 1000 {
		app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "live", Name: fmt.Sprintf("inventive-%d", i)}}
		app.Status.Queue, app.Status.Conditions = fmt.Sprintf("invented-%d", i), []metav1.Condition{{Type: "Ready", Reason: "Queued"}}
		app.Status.Times.Waiting = second(int64(1000 - i))
		builder = builder.WithObjects(app)
	}
	r, g := New(Options{Client: builder.Build(), Clock: clock.RealClock{}}), newApplicationCollector()
	r.Series.Configure([]string{"team-a"})
	if n := testutil.CollectAndCount(g); n != 0 {
		t.Errorf("%d series before there is an operator", n)
	}
	g.of.Store(r)
	if n := testutil.CollectAndCount(g); n != 0 {
		t.Errorf("%d series of one that does not decide", n)
	}
	r.deciding.Store(true)
	const want = `
		# HELP sparkgate_applications Applications that have not finished, by stage.
		# TYPE sparkgate_applications gauge
		sparkgate_applications{namespace="live",queue="team-a",stage="Queued"} 1
		sparkgate_applications{namespace="live",queue="team-a",stage="Running"} 2
		sparkgate_applications{namespace="live",queue="unknown",stage="Queued"} 1000
		# HELP sparkgate_node_lost_applications Applications with pods that cannot be ended, because their node does not answer.
		# TYPE sparkgate_node_lost_applications gauge
		sparkgate_node_lost_applications{namespace="live",queue="team-a"} 1
		# HELP sparkgate_oldest_wait_start_time_seconds When the application that has waited longest for quota began to wait, in seconds since 1970.
		# TYPE sparkgate_oldest_wait_start_time_seconds gauge
		sparkgate_oldest_wait_start_time_seconds{namespace="live",queue="team-a"} 1000
		sparkgate_oldest_wait_start_time_seconds{namespace="live",queue="unknown"} 1001
	`
	if err := testutil.CollectAndCompare(g, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// TestInventedQueues: a tenant writes a thousand names of queues that do not exist, and the status of its own pods with
// a thousand reasons. All metrics of the process are scraped: together these have one series of each kind. When a queue
// is deleted, all of its series are deleted.
func TestInventedQueues(t *testing.T) {
	t.Parallel()
	c := newCounted(t)
	deleted := c.app.Namespace // a queue of this test alone
	c.r.Series.Configure([]string{"team-a", "team-b", deleted})
	for i := range 1000 {
		for _, queue := range []string{fmt.Sprintf("invented-%d", i), deleted} {
			before := c.app.DeepCopy()
			before.Status.Queue = queue
			after := before.DeepCopy()
			s := &after.Status
			s.Conditions, s.Stopping = []metav1.Condition{{Type: "Ready", Reason: "Submitting"}}, v1alpha1.StopPreempted
			s.Times = v1alpha1.ApplicationTimes{Finished: second(3), OpenTimes: v1alpha1.OpenTimes{Queued: second(0), Admitted: second(1), DriverStarted: second(2)}}
			s.Attempts = []v1alpha1.AttemptStatus{failedAttempt(1, 1, v1alpha1.CauseApplication, fmt.Sprintf("Invented%d", i))}
			countChange(c.r.Series, before, after, &queueing.Eviction{ByQueue: queue, Reason: queueing.ReasonPreempted})
		}
	}
	names := []string{"sparkgate_admission_wait_seconds", "sparkgate_attempt_duration_seconds", "sparkgate_attempts_total",
		"sparkgate_driver_start_seconds", "sparkgate_preemptions_total", "sparkgate_runs_total", "sparkgate_stage_transitions_total"}
	for _, name := range names {
		if n := seriesWith(t, name, "=invented"); n != 0 {
			t.Errorf("%s has %d series with names that were invented", name, n)
		}
		if name == "sparkgate_preemptions_total" {
			continue
		}
		if n := seriesWith(t, name, "namespace="+c.app.Namespace+" "); n != 2 {
			t.Errorf("%s has %d series of this namespace, want 2: one of the queue that exists, one of all others", name, n)
		}
	}
	c.r.Series.Configure([]string{"team-a", "team-b"})
	for _, name := range names {
		if n := seriesWith(t, name, "queue="+deleted+" "); n != 0 {
			t.Errorf("%s has %d series of a queue that was deleted", name, n)
		}
	}
	c.r.Series.DropNamespace(c.app.Namespace)
	if n := seriesWith(t, "sparkgate_runs_total", c.app.Namespace); n != 0 {
		t.Errorf("%d series of a namespace that was deleted", n)
	}
}

// seriesWith counts the series of a metric with a label, given as label=value.
func seriesWith(t *testing.T, name, text string) int {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := " "
			for _, l := range m.GetLabel() {
				labels += strings.ToLower(l.GetName()+"="+l.GetValue()) + " "
			}
			if strings.Contains(labels, text) {
				n++
			}
		}
	}
	return n
}
