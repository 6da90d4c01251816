// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// Metrics are counted when a status write has succeeded, so a restart counts nothing twice. None has a label for one application.
var (
	transitions = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "sparkgate_stage_transitions_total",
		Help: "Stages that applications have entered.",
	}, []string{"namespace", "queue", "stage"})

	admissionWait = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_admission_wait_seconds",
		Help:    "Time from queueing to admission, by the times in the status (whole seconds).",
		Buckets: []float64{1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14400, 86400},
	}, []string{"namespace", "queue"})
)

func init() {
	metrics.Registry.MustRegister(transitions, admissionWait)
}

// countTransition counts what a successful write has changed.
func countTransition(before, after *v1alpha1.SparkApplication) {
	was, _ := status.StageOf(before.Status.Conditions)
	is, known := status.StageOf(after.Status.Conditions)
	if !known || (was == is && before.Status.Run == after.Status.Run && before.Status.Attempt == after.Status.Attempt) {
		return
	}
	transitions.WithLabelValues(after.Namespace, after.Status.Queue, string(is)).Inc()
	if t := after.Status.Times; is == status.Submitting && t.Queued != nil && t.Admitted != nil {
		admissionWait.WithLabelValues(after.Namespace, after.Status.Queue).Observe(t.Admitted.Sub(t.Queued.Time).Seconds())
	}
}
