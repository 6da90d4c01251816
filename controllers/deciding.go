// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
)

// decidingCollector reports at each scrape what the process decides on. That is not the same as holding the lease: the
// holder decides nothing until it has restored the state of the previous leader, which may fail. It reports on the
// process that was set up last.
type decidingCollector struct {
	of   metricseries.Sources[Process]
	desc *prometheus.Desc
}

var deciding = &decidingCollector{desc: prometheus.NewDesc("sparkgate_deciding",
	"1 while this process decides on the applications of a tree of queues, of all where it names none; else 0.", []string{"tree"}, nil)}

func init() { metrics.Registry.MustRegister(deciding) }

// Describe implements prometheus.Collector.
func (c *decidingCollector) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

// Collect implements prometheus.Collector.
func (c *decidingCollector) Collect(out chan<- prometheus.Metric) {
	trees := map[string]float64{} // for a moment a leader and its successor may both be there
	for _, p := range c.of.All() {
		for _, l := range p.all() {
			trees[l.share.Name()] = max(trees[l.share.Name()], l.startup.decides())
		}
	}
	for tree, decides := range trees {
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, decides, tree)
	}
}

// decides returns 1 once this leader has restored its state, else 0.
func (s *leaderStartup) decides() float64 {
	select {
	case <-s.done:
		return 1
	default:
		return 0
	}
}
