// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// Metrics are counted when a status write has succeeded, so a restart counts nothing twice. None has a label for one application.
var (
	transitions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sparkgate_stage_transitions_total",
		Help: "Stages that applications have entered.",
	}, []string{"namespace", "queue", "stage"})

	preemptions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sparkgate_preemptions_total",
		Help: "Attempts that were stopped because the gate wanted their room back, by the queue that they held it in and the queue that takes it.",
	}, []string{"queue", "by", "reason"})

	admissionWait = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_admission_wait_seconds",
		Help:    "Time from queueing to admission, by the times in the status (whole seconds).",
		Buckets: []float64{1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 86400},
	}, []string{"namespace", "queue"})
)

func init() {
	metrics.Registry.MustRegister(transitions, preemptions, admissionWait)
}

// countTransition counts what a successful write has changed.
func countTransition(before, after *v1alpha1.SparkApplication) {
	was, _ := status.StageOf(before.Status.Conditions)
	is, known := status.StageOf(after.Status.Conditions)
	if !known || (was == is && before.Status.Run == after.Status.Run && before.Status.Attempt == after.Status.Attempt) {
		return
	}
	transitions.WithLabelValues(after.Namespace, after.Status.Queue, string(is)).Inc()
	if wait, known := admissionWaitOf(&after.Status); known && is == status.Submitting {
		admissionWait.WithLabelValues(after.Namespace, after.Status.Queue).Observe(wait.Seconds())
	}
}

// admissionWaitOf is how long an admitted attempt has waited: from its place in the queue on; one that follows a preempted attempt, which
// keeps the old place, from when that was stopped on.
func admissionWaitOf(s *v1alpha1.SparkApplicationStatus) (wait time.Duration, known bool) {
	since := s.Times.Queued
	if n := len(s.Attempts); n > 0 {
		last := &s.Attempts[n-1]
		if last.Run == s.Run && last.Reason == string(v1alpha1.StopPreempted) && last.FinishedAt != nil {
			since = last.FinishedAt
		}
	}
	if since == nil || s.Times.Admitted == nil {
		return 0, false
	}
	return s.Times.Admitted.Sub(since.Time), true
}

// countPreemption counts the intent to give room back, once it is written. It was decided because of the eviction.
func countPreemption(before, after *v1alpha1.SparkApplication, eviction *queueing.Eviction) {
	if before.Status.Stopping == "" && after.Status.Stopping == v1alpha1.StopPreempted && eviction != nil {
		preemptions.WithLabelValues(after.Status.Queue, eviction.ByQueue, eviction.Reason).Inc()
	}
}
