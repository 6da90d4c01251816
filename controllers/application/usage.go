// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/application/memory"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/job/usage/meter"
)

// Metrics of usage count what was written into a status, like all others: a restart or failover counts nothing twice,
// and what one process could not count is counted by the next. A write after which the process is killed is not
// counted.
var (
	usageCPU    = usageCounter("sparkgate_usage_cpu_core_seconds_total", "Cores of applications, times seconds", "basis")
	usageMemory = usageCounter("sparkgate_usage_memory_byte_seconds_total", "Bytes of memory of applications, times seconds", "basis")
	usageGPU    = usageCounter("sparkgate_usage_gpu_seconds_total", "Accelerators of applications, times seconds", "basis")

	attemptCPU    = usageCounter("sparkgate_attempt_cpu_core_seconds_total", "Cores that were granted to attempts that have ended, times seconds", "outcome")
	attemptMemory = usageCounter("sparkgate_attempt_memory_byte_seconds_total", "Bytes of memory that were granted to attempts that have ended, times seconds", "outcome")
	attemptGPU    = usageCounter("sparkgate_attempt_gpu_seconds_total", "Accelerators that were granted to attempts that have ended, times seconds", "outcome")
)

// Values of the label "basis".
const (
	basisGranted   = "granted"
	basisRequested = "requested"
)

func usageCounter(name, help, label string) *metricseries.Counters {
	return metricseries.NewCounters(name, help+".", "namespace", "queue", label)
}

func init() {
	metrics.Registry.MustRegister(usageCPU, usageMemory, usageGPU, attemptCPU, attemptMemory, attemptGPU)
}

// usageSeries returns the metrics of usage.
func usageSeries() []metricseries.Vector {
	var all []metricseries.Vector
	for _, vec := range []*metricseries.Counters{usageCPU, usageMemory, usageGPU, attemptCPU, attemptMemory, attemptGPU} {
		all = append(all, metricseries.Vector{Vec: vec, QueueLabels: []string{"queue"}})
	}
	return all
}

const bytesPerGiB = 1 << 30

// usageCounters are the counters of the three resources.
type usageCounters struct{ cpu, memory, gpu *metricseries.Counters }

var ofApplications, ofAttempts = usageCounters{usageCPU, usageMemory, usageGPU}, usageCounters{attemptCPU, attemptMemory, attemptGPU}

// add adds amounts to the series with a label; the series exists from then on.
func (u usageCounters) add(namespace, queue, label string, a usage.Amounts) {
	u.cpu.Add(a.CPU, namespace, queue, label)
	u.memory.Add(a.Memory*bytesPerGiB, namespace, queue, label)
	u.gpu.Add(a.GPU, namespace, queue, label)
}

// countUsage begins the series of an attempt that is counted from now on, and adds what was written of it to the metrics
// of its namespace.
func countUsage(series *metricseries.Bounds, namespace string, u *memory.Usage, c meter.Count) {
	beginSeries(series, namespace, u)
	addUsage(series, namespace, c)
}

// addUsage adds usage to the metrics of a namespace.
func addUsage(series *metricseries.Bounds, namespace string, c meter.Count) {
	if c == (meter.Count{}) {
		return
	}
	series.Count(func(value func(queue string) string) {
		queue := value(c.Queue)
		ofApplications.add(namespace, queue, basisGranted, c.Granted)
		ofApplications.add(namespace, queue, basisRequested, c.Requested)
		if c.Ended != "" {
			ofAttempts.add(namespace, queue, string(c.Ended), c.Total)
		}
	})
}

// beginSeries begins the series that a newly counted attempt will most likely add to, so that they have been collected
// with 0 by the time it ends, and show its end at once.
func beginSeries(series *metricseries.Bounds, namespace string, u *memory.Usage) {
	queue, begun := u.Begun()
	if !begun {
		return
	}
	series.Count(func(value func(queue string) string) {
		queue := value(queue)
		for _, basis := range []string{basisGranted, basisRequested} {
			ofApplications.add(namespace, queue, basis, usage.Amounts{})
		}
		for _, outcome := range usage.Ends() {
			ofAttempts.add(namespace, queue, string(outcome), usage.Amounts{})
		}
		for _, outcome := range []string{v1alpha1.SucceededReason, v1alpha1.FailedReason} {
			runs.Add(0, namespace, queue, outcome)
		}
	})
}

// countLost counts the remaining usage of a deleted application of this name. keep is the uid of the application that
// has the name now, or empty if there is none.
func (r *Reconciler) countLost(name types.NamespacedName, keep types.UID) {
	addUsage(r.Series, name.Namespace, r.memory.Lost(name, keep, r.Clock.Now()))
}
