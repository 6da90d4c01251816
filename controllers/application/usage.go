// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/usage"
	"github.com/sparkgate/sparkgate/internal/usage/meter"
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

func usageCounter(name, help, label string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help + "."}, []string{"namespace", "queue", label})
}

func init() {
	metrics.Registry.MustRegister(usageCPU, usageMemory, usageGPU, attemptCPU, attemptMemory, attemptGPU)
}

// usageSeries returns the metrics of usage.
func usageSeries() []metricseries.Vector {
	var all []metricseries.Vector
	for _, vec := range []*prometheus.CounterVec{usageCPU, usageMemory, usageGPU, attemptCPU, attemptMemory, attemptGPU} {
		all = append(all, metricseries.Vector{Vec: vec, QueueLabels: []string{"queue"}})
	}
	return all
}

const bytesPerGiB = 1 << 30

// countUsage adds the usage of an application to the metrics.
func (r *Reconciler) countUsage(app *v1alpha1.SparkApplication, c meter.Count) {
	r.beginSeries(app)
	if c == (meter.Count{}) {
		return
	}
	namespace := app.Namespace
	r.Series.Count(func(value func(queue string) string) {
		queue := value(c.Queue)
		for basis, a := range map[string]usage.Amounts{basisGranted: c.Granted, basisRequested: c.Requested} {
			usageCPU.WithLabelValues(namespace, queue, basis).Add(a.CPU)
			usageMemory.WithLabelValues(namespace, queue, basis).Add(a.Memory * bytesPerGiB)
			usageGPU.WithLabelValues(namespace, queue, basis).Add(a.GPU)
		}
		if c.Ended != "" {
			attemptCPU.WithLabelValues(namespace, queue, string(c.Ended)).Add(c.Total.CPU)
			attemptMemory.WithLabelValues(namespace, queue, string(c.Ended)).Add(c.Total.Memory * bytesPerGiB)
			attemptGPU.WithLabelValues(namespace, queue, string(c.Ended)).Add(c.Total.GPU)
		}
	})
}

// beginSeries makes the series of a newly counted attempt begin at 0. Prometheus does not see an increase in a counter
// whose first value is the usage of a whole attempt, and each pod of the operator has its own counters.
func (r *Reconciler) beginSeries(app *v1alpha1.SparkApplication) {
	queue, begun := r.meters.begun(app)
	if !begun {
		return
	}
	r.Series.Count(func(value func(queue string) string) {
		queue := value(queue)
		for _, basis := range []string{basisGranted, basisRequested} {
			for _, vec := range []*prometheus.CounterVec{usageCPU, usageMemory, usageGPU} {
				vec.WithLabelValues(app.Namespace, queue, basis)
			}
		}
		for _, outcome := range usage.Ends() {
			for _, vec := range []*prometheus.CounterVec{attemptCPU, attemptMemory, attemptGPU} {
				vec.WithLabelValues(app.Namespace, queue, string(outcome))
			}
		}
	})
}

// countLost counts the remaining usage of a deleted application of this name. keep is the uid of the application that
// has the name now, or empty if there is none.
func (r *Reconciler) countLost(name types.NamespacedName, keep types.UID) {
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: name.Namespace, Name: name.Name}}
	r.countUsage(app, r.meters.lost(name, keep, r.Clock.Now()))
}

// meters sums what applications hold and request while they have a grant.
type meters struct{ perApp[meter.Meter] }

func newMeters() *meters { return &meters{newPerApp[meter.Meter]()} }

// of returns the meter of an application. It is used without the lock, because passes over one application do not run
// concurrently.
func (m *meters) of(app *v1alpha1.SparkApplication) *meter.Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.perApp.of(app)
}

// observe updates the meter of an application that has or had a grant with what a pass has seen. It returns usage that
// was written into the status and not counted yet.
func (m *meters) observe(app *v1alpha1.SparkApplication, records []*pods.Record, now time.Time) meter.Count {
	if app.Status.Grant == nil && !m.knows(client.ObjectKeyFromObject(app), app.UID) {
		return meter.Count{}
	}
	return m.of(app).Observe(app, records, now)
}

// begun returns the queue of an application whose attempt is counted from now on, once per attempt.
func (m *meters) begun(app *v1alpha1.SparkApplication) (queue string, begun bool) {
	if !m.knows(client.ObjectKeyFromObject(app), app.UID) {
		return "", false
	}
	return m.of(app).Begun()
}

// stamp puts the sums into a status that is about to be written.
func (m *meters) stamp(app *v1alpha1.SparkApplication, next *v1alpha1.SparkApplicationStatus, now time.Time) {
	if app.Status.Grant != nil || next.Grant != nil {
		m.of(app).Stamp(&app.Status, next, now)
	}
}

// written returns the usage in a written status that was not counted yet.
func (m *meters) written(app *v1alpha1.SparkApplication) meter.Count {
	if app.Status.Grant == nil && !m.knows(client.ObjectKeyFromObject(app), app.UID) {
		return meter.Count{}
	}
	count := m.of(app).Written(&app.Status)
	if app.Status.Grant == nil {
		m.forget(client.ObjectKeyFromObject(app))
	}
	return count
}

// gone returns the usage that remains to be counted for an application that is gone, and forgets its meter.
func (m *meters) gone(app *v1alpha1.SparkApplication, now time.Time) meter.Count {
	name := client.ObjectKeyFromObject(app)
	if !m.knows(name, app.UID) {
		return meter.Count{}
	}
	count := m.of(app).Gone(now)
	m.forget(name)
	return count
}

// lost returns the usage that remains to be counted for an application whose end was not observed, because another
// client removed its finalizer. It does nothing if the application with this name has the uid keep.
func (m *meters) lost(name types.NamespacedName, keep types.UID, now time.Time) meter.Count {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.apps[name]
	if e == nil || e.uid == keep {
		return meter.Count{}
	}
	delete(m.apps, name)
	return e.known.Gone(now)
}
