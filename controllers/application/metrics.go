// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// Metrics are counted after the status write that makes the change has succeeded, so a restart or failover counts
// nothing twice. A write whose answer is lost is not counted. No metric has a label for a single application, and no
// label value is text written by users.
var (
	transitions = metricseries.NewCounters("sparkgate_stage_transitions_total", "Stages that applications have entered.",
		"namespace", "queue", "stage")

	runs = metricseries.NewCounters("sparkgate_runs_total", "Runs that have ended.", "namespace", "queue", "outcome")

	attempts = metricseries.NewCounters("sparkgate_attempts_total", "Attempts that have ended.",
		"namespace", "queue", "outcome", "cause", "reason")

	preemptions = metricseries.NewCounters("sparkgate_preemptions_total",
		"Attempts that were stopped because their quota was reclaimed, by the queue that held it and the queue that reclaims it.",
		"queue", "preempting_queue", "reason")

	admissionWait = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_admission_wait_seconds",
		Help:    "Time from queueing to admission, by the times in the status (whole seconds).",
		Buckets: []float64{1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 86400},
	}, []string{"namespace", "queue"})

	driverStart = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_driver_start_seconds",
		Help:    "Time from admission until the driver runs, by the times in the status (whole seconds).",
		Buckets: []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600},
	}, []string{"namespace", "queue"})

	attemptTime = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_attempt_duration_seconds",
		Help:    "Time that drivers ran, by the times in the status (whole seconds).",
		Buckets: []float64{10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 28800, 86400, 604800},
	}, []string{"namespace", "queue", "outcome"})
)

func init() {
	metrics.Registry.MustRegister(transitions, runs, attempts, preemptions, admissionWait, driverStart, attemptTime)
}

// Series returns the metrics of applications that have a queue label.
func Series() []metricseries.Vector {
	queue := []string{"queue"}
	return append(usageSeries(), []metricseries.Vector{
		{Vec: transitions, QueueLabels: queue}, {Vec: runs, QueueLabels: queue}, {Vec: attempts, QueueLabels: queue},
		{Vec: preemptions, QueueLabels: []string{"queue", "preempting_queue"}},
		{Vec: admissionWait, QueueLabels: queue}, {Vec: driverStart, QueueLabels: queue}, {Vec: attemptTime, QueueLabels: queue},
	}...)
}

// outcomeReplaced is the outcome of a run that was replaced by another run before it ended.
const outcomeReplaced = "Replaced"

// change is one successful write of a status. value maps a queue to the label value to count it under, and must be used
// only within Series.Count.
type change struct {
	before, after *v1alpha1.SparkApplication
	value         func(queue string) string
}

// countChange counts what a successful write has changed.
func countChange(series *metricseries.Bounds, before, after *v1alpha1.SparkApplication, eviction *queueing.Eviction) {
	series.Count(func(value func(queue string) string) {
		c := change{before, after, value}
		c.countTransition()
		c.countRun()
		c.countAttempts()
		c.countPreemption(eviction)
	})
}

// countTransition counts the stage that was entered, the wait for admission, and the time until the driver started.
func (c change) countTransition() {
	b, a := &c.before.Status, &c.after.Status
	namespace, queue := c.after.Namespace, c.value(a.Queue)
	if a.Times.DriverStarted != nil && a.Times.Admitted != nil && (b.Times.DriverStarted == nil || b.Run != a.Run || b.Attempt != a.Attempt) {
		driverStart.WithLabelValues(namespace, queue).Observe(a.Times.DriverStarted.Sub(a.Times.Admitted.Time).Seconds())
	}
	was, _ := status.StageOf(b.Conditions)
	is, known := status.StageOf(a.Conditions)
	if !known || (was == is && b.Run == a.Run && b.Attempt == a.Attempt) {
		return
	}
	transitions.Inc(namespace, queue, string(is))
	if wait, known := admissionWaitOf(b, a); known && is == status.Submitting {
		admissionWait.WithLabelValues(namespace, queue).Observe(wait.Seconds())
	}
}

// admissionWaitOf returns how long the attempt that this write admits has waited. It counts from the time of its place
// in the queue. If the previous attempt released its quota and kept that place, it counts from when the wait began
// again.
func admissionWaitOf(before, s *v1alpha1.SparkApplicationStatus) (wait time.Duration, known bool) {
	since := s.Times.Queued
	if n := len(s.Attempts); n > 0 {
		last := &s.Attempts[n-1]
		gaveBack := last.Reason == string(v1alpha1.StopPreempted) || last.Reason == string(v1alpha1.StopExecutorStart)
		if last.Run == s.Run && last.Outcome == v1alpha1.OutcomeStopped && gaveBack {
			since = cmp.Or(before.Times.Waiting, before.Times.Retry, last.FinishedAt, since)
		}
	}
	if since == nil || s.Times.Admitted == nil {
		return 0, false
	}
	return s.Times.Admitted.Sub(since.Time), true
}

// countRun counts a run that ends with this write, either because its end is published or because another run follows
// it.
func (c change) countRun() {
	b, a := &c.before.Status, &c.after.Status
	switch {
	case b.Times.Finished != nil || b.Run == 0:
	case a.Run != b.Run:
		runs.Inc(c.after.Namespace, c.value(b.Queue), replacedOutcome(b.Run, a.Attempts))
	case a.Times.Finished != nil:
		stage, _ := status.StageOf(a.Conditions)
		runs.Inc(c.after.Namespace, c.value(a.Queue), string(stage))
	}
}

// replacedOutcome returns the outcome of a run whose end was never published: that of its last attempt, or
// outcomeReplaced if that was stopped or there was none.
func replacedOutcome(run int64, history []v1alpha1.AttemptStatus) string {
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].Run == run && history[i].Outcome != v1alpha1.OutcomeStopped {
			return string(history[i].Outcome)
		}
		if history[i].Run == run {
			break
		}
	}
	return outcomeReplaced
}

// countAttempts counts the attempts that this write has added to the history, and how long their drivers ran.
func (c change) countAttempts() {
	known := map[lifecycle.AttemptID]bool{}
	for i := range c.before.Status.Attempts {
		known[lifecycle.AttemptID{Run: c.before.Status.Attempts[i].Run, Attempt: c.before.Status.Attempts[i].Attempt}] = true
	}
	for i := range c.after.Status.Attempts {
		a := &c.after.Status.Attempts[i]
		if known[lifecycle.AttemptID{Run: a.Run, Attempt: a.Attempt}] {
			continue
		}
		queue := c.value(c.before.Status.Queue) // not that of a.Status: the next run may have another queue
		attempts.Inc(c.after.Namespace, queue, string(a.Outcome), string(a.Cause), pods.ReasonLabel(a.Reason))
		if a.StartedAt != nil && a.FinishedAt != nil {
			attemptTime.WithLabelValues(c.after.Namespace, queue, string(a.Outcome)).Observe(a.FinishedAt.Sub(a.StartedAt.Time).Seconds())
		}
	}
}

// countPreemption counts an attempt that this write begins to stop because its quota is reclaimed by the eviction.
func (c change) countPreemption(eviction *queueing.Eviction) {
	if c.before.Status.Stopping == "" && c.after.Status.Stopping == v1alpha1.StopPreempted && eviction != nil {
		preemptions.Inc(c.value(c.after.Status.Queue), c.value(eviction.ByQueue), eviction.Reason)
	}
}
