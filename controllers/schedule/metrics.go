// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/job/tick"
)

// Metrics of runs. Runs are counted after the status write that records them, so that neither a restart nor a failover
// counts one twice. No metric has a label for a schedule.
var (
	runs = metricseries.NewCounters("sparkgate_schedule_runs_total",
		"Applications that were created for schedules, and that the API server refused.",
		metricseries.NamespaceLabel, "trigger", "result")

	missed = metricseries.NewCounters("sparkgate_schedule_missed_runs_total", "Runs of schedules that were due and were missed.",
		metricseries.NamespaceLabel, "reason")

	delay = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_schedule_delay_seconds",
		Help:    "Time from when a run was due until its application was created.",
		Buckets: []float64{0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 14400, 86400},
	}, []string{metricseries.NamespaceLabel})
)

var collector = &scheduleCollector{
	desc: prometheus.NewDesc("sparkgate_schedules", "Schedules, by the reason of their condition Ready.", []string{metricseries.NamespaceLabel, "reason"}, nil),
}

func init() { metrics.Registry.MustRegister(runs, missed, delay, collector) }

// Series returns the metrics of schedules that have a namespace label.
func Series() []metricseries.Vector {
	return []metricseries.Vector{{Vec: runs}, {Vec: missed}, {Vec: delay}}
}

// Label values of sparkgate_schedule_runs_total.
const (
	triggerSchedule = "Schedule"
	triggerRequest  = "Request"
	resultCreated   = "Created"
	resultRefused   = "Refused"
)

// countRejected counts an application that the API server has rejected. Each attempt counts.
func countRejected(series *metricseries.Bounds, out outcome) {
	if run := out.decision.Create; out.refused != "" && run != nil {
		series.Count(func(func(string) string) {
			runs.Inc(out.o.Schedule.Namespace, triggerOf(run), resultRefused)
		})
	}
}

// countRecorded counts the runs that a successful write of the status has recorded.
func countRecorded(series *metricseries.Bounds, out outcome, last creation) {
	namespace := out.o.Schedule.Namespace
	series.Count(func(func(string) string) {
		if run := out.decision.Create; run != nil && out.refused == "" {
			runs.Inc(namespace, triggerOf(run), resultCreated)
			if !run.Requested() {
				delay.WithLabelValues(namespace).Observe(max(createdAt(run, out.o, last).Sub(run.At), time.Duration(0)).Seconds())
			}
		}
		for _, passed := range out.decision.Passed {
			missed.Inc(namespace, passed.Reason)
		}
	})
}

// countSuperseded counts n applications that were deleted for the next run.
func countSuperseded(series *metricseries.Bounds, namespace string, n int) {
	if n > 0 {
		series.Count(func(func(string) string) {
			missed.Add(float64(n), namespace, v1alpha1.MissedSuperseded)
		})
	}
}

// createdAt returns when the application of a run was created. It is accurate to the second if another process created
// it.
func createdAt(run *tick.Run, o tick.Observation, last creation) time.Time {
	if last.is(run) {
		return last.at
	}
	if i := slices.IndexFunc(o.Children, func(c tick.Child) bool { return c.Name == run.Name }); i >= 0 {
		return o.Children[i].Created
	}
	return o.Now
}

func triggerOf(run *tick.Run) string {
	if run.Requested() {
		return triggerRequest
	}
	return triggerSchedule
}

// scheduleCollector counts the schedules in the cache at each scrape. It counts them only once the operator is the
// leader: a standby has the same schedules in its cache, and they would be counted twice.
type scheduleCollector struct {
	of   atomic.Pointer[Reconciler]
	desc *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *scheduleCollector) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

// Collect implements prometheus.Collector.
func (c *scheduleCollector) Collect(out chan<- prometheus.Metric) {
	if r := c.of.Load(); r != nil && r.since.Load() != nil {
		c.collect(out, r)
	}
}

// collect sends the metrics of one reconciler.
func (c *scheduleCollector) collect(out chan<- prometheus.Metric, r *Reconciler) {
	list := &v1alpha1.ScheduledSparkApplicationList{}
	if err := r.Client.List(context.Background(), list, client.UnsafeDisableDeepCopy); err != nil {
		out <- prometheus.NewInvalidMetric(c.desc, err)
		return
	}
	type place struct{ namespace, reason string }
	count := map[place]int{}
	for i := range list.Items {
		s := &list.Items[i]
		ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
		if ready != nil && status.IsScheduleReason(ready.Reason) {
			count[place{s.Namespace, ready.Reason}]++
		}
	}
	for p, n := range count {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(n), p.namespace, p.reason)
	}
}
