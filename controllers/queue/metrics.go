// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
)

// gauges are read from the engine when somebody asks: nothing is counted, so nothing can be counted twice. Only the leader has queues.
type gauges struct {
	engine atomic.Pointer[Engine]

	pending, admitted, usage, nominal, borrowed *prometheus.Desc
}

var collected = newGauges()

func init() { metrics.Registry.MustRegister(collected) }

func newGauges() *gauges {
	cell := []string{"queue", "flavor", "resource"}
	return &gauges{
		pending:  prometheus.NewDesc("sparkgate_queue_pending", "Applications that wait, of the queue and those below it.", cell[:1], nil),
		admitted: prometheus.NewDesc("sparkgate_queue_admitted", "Applications that hold room, of the queue and those below it.", cell[:1], nil),
		usage:    prometheus.NewDesc("sparkgate_queue_usage", "What the queue and those below it use: cores, bytes, pieces.", cell, nil),
		nominal:  prometheus.NewDesc("sparkgate_queue_nominal", "Nominal quota of the queue and those below it; absent without a limit.", cell, nil),
		borrowed: prometheus.NewDesc("sparkgate_queue_borrowed", "What is used above nominal.", cell, nil),
	}
}

// of sets whose queues are shown: those of the operator that was set up last.
func (g *gauges) of(engine Engine) { g.engine.Store(&engine) }

// Describe implements prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{g.pending, g.admitted, g.usage, g.nominal, g.borrowed} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	engine := g.engine.Load()
	if engine == nil {
		return
	}
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	for _, name := range (*engine).Names() {
		s, known := (*engine).State(name)
		if !known {
			continue
		}
		gauge(g.pending, float64(s.Pending), name)
		gauge(g.admitted, float64(s.Admitted), name)
		for i := range s.Usage {
			u := &s.Usage[i]
			gauge(g.usage, u.Used.AsApproximateFloat64(), name, u.Flavor, u.Resource)
			if u.Nominal != nil {
				gauge(g.nominal, u.Nominal.AsApproximateFloat64(), name, u.Flavor, u.Resource)
			}
			if u.Borrowed != nil {
				gauge(g.borrowed, u.Borrowed.AsApproximateFloat64(), name, u.Flavor, u.Resource)
			}
		}
	}
}
