// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
)

// gauges is a collector that reads the engine at each scrape, so there are no counters that could diverge from it. Only
// a leader has an engine.
type gauges struct {
	engine atomic.Pointer[Engine]

	pending, waiting, admitted, share, elastic, usage, nominal, borrowed, lent, reserved *prometheus.Desc
}

var collected = newGauges()

// Metrics that the embedded queue observes. None has a label for an application.
var (
	waits = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "sparkgate_queue_wait_seconds",
		Help:    "Time in line until a grant that its application has taken.",
		Buckets: []float64{1, 5, 15, 60, 300, 900, 1800, 3600, 7200, 14400, 43200, 86400, 172800, 604800},
	}, []string{"queue"})

	brokenAsks = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "sparkgate_queue_broken_asks_total",
		Help: "Requests with a negative amount, which the queue refuses: more than 0 is a bug in the operator.",
	})

	cycles = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "sparkgate_queue_cycle_seconds",
		Help:    "Time that the queue takes to decide on all waiting applications.",
		Buckets: []float64{0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5},
	})
)

func init() { metrics.Registry.MustRegister(collected, waits, cycles, brokenAsks) }

// Series returns the metrics with a queue label whose series have to be bounded. The gauges are not among them: the
// engine knows configured queues only.
func Series() []metricseries.Vector {
	return []metricseries.Vector{{Vec: waits, QueueLabels: []string{"queue"}}}
}

// Meter records the measurements of the embedded queue.
type Meter struct {
	// Series bounds the series of all metrics with a queue label.
	Series *metricseries.Bounds
}

// Configured sets the names of the configured queues. It is called whenever they change.
func (m Meter) Configured(queues []string) { m.Series.Configure(queues) }

// Granted observes how long an application has waited in a queue.
func (m Meter) Granted(queue string, waited time.Duration) {
	m.Series.Count(func(value func(queue string) string) {
		waits.WithLabelValues(value(queue)).Observe(waited.Seconds())
	})
}

// Broken counts an ask that was refused because it has a negative amount.
func (Meter) Broken() { brokenAsks.Inc() }

// Cycled observes how long a cycle took.
func (Meter) Cycled(took time.Duration) { cycles.Observe(took.Seconds()) }

func newGauges() *gauges {
	cell := []string{"queue", "flavor", "resource"}
	return &gauges{
		pending:  prometheus.NewDesc("sparkgate_queue_pending", "Applications that wait, of the queue and those below it.", cell[:1], nil),
		waiting:  prometheus.NewDesc("sparkgate_queue_waiting", "Applications that wait in this queue itself, by the reason in their status.", []string{"queue", "reason"}, nil),
		admitted: prometheus.NewDesc("sparkgate_queue_admitted", "Applications that hold quota, of the queue and those below it.", cell[:1], nil),
		share:    prometheus.NewDesc("sparkgate_queue_share", "The share of its parent's quota that the queue borrows, divided by its weight; absent for a root.", cell[:1], nil),
		elastic:  prometheus.NewDesc("sparkgate_queue_elastic_executors", "Executors above base gangs, of the queue and those below it, that hold quota or wait for it.", []string{"queue", "state"}, nil),
		usage:    prometheus.NewDesc("sparkgate_queue_usage", "What the queue and those below it use: cores, bytes, or numbers of devices.", cell, nil),
		nominal:  prometheus.NewDesc("sparkgate_queue_nominal", "Nominal quota of the queue and those below it; absent without a limit.", cell, nil),
		borrowed: prometheus.NewDesc("sparkgate_queue_borrowed", "What is used above nominal.", cell, nil),
		lent:     prometheus.NewDesc("sparkgate_queue_lent", "Unused nominal quota that cannot be used now, because other queues have borrowed it.", cell, nil),
		reserved: prometheus.NewDesc("sparkgate_queue_reserved", "Free quota that is kept for applications of the queue and those below it.", cell, nil),
	}
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.pending, g.waiting, g.admitted, g.share, g.elastic, g.usage, g.nominal, g.borrowed, g.lent, g.reserved} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	engine := g.engine.Load()
	if engine == nil {
		return
	}
	states := map[string]*State{}
	for _, name := range (*engine).Names() {
		if s, known := (*engine).State(name); known {
			states[name] = &s
		}
	}
	shown := shownResources(states)
	for name, s := range states {
		s.Usage = slices.DeleteFunc(slices.Clone(s.Usage), func(u v1alpha1.QueueUsage) bool { return !shown[u.Resource] })
		g.collect(out, name, s)
	}
}

// shownResources returns the resources that may be label values: those that a queue limits, and those that every node
// has. Other names come from users and are not bounded.
func shownResources(states map[string]*State) map[string]bool {
	shown := map[string]bool{}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage, corev1.ResourcePods} {
		shown[string(name)] = true
	}
	for _, s := range states {
		for i := range s.Usage {
			if s.Usage[i].Nominal != nil {
				shown[s.Usage[i].Resource] = true
			}
		}
	}
	return shown
}

// collect sends the metrics of one queue.
func (g *gauges) collect(out chan<- prometheus.Metric, name string, s *State) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(g.pending, float64(s.Pending), name)
	gauge(g.admitted, float64(s.Admitted), name)
	for reason, n := range s.Waiting {
		gauge(g.waiting, float64(n), name, reason)
	}
	if s.Share != nil {
		gauge(g.share, *s.Share, name)
	}
	if s.Elastic != nil {
		gauge(g.elastic, float64(s.Elastic.Granted), name, "granted")
		gauge(g.elastic, float64(s.Elastic.Waiting), name, "waiting")
	}
	for i := range s.Usage {
		u := &s.Usage[i]
		amount := func(d *prometheus.Desc, q *resource.Quantity) {
			if q != nil {
				gauge(d, q.AsApproximateFloat64(), name, u.Flavor, u.Resource)
			}
		}
		amount(g.usage, &u.Used)
		amount(g.nominal, u.Nominal)
		amount(g.borrowed, u.Borrowed)
		amount(g.lent, u.Lent)
		amount(g.reserved, u.Reserved)
	}
}
