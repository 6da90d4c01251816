// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// applicationCollector counts applications that have not ended, by stage, at each scrape. It reads the cache; the operator that was
// set up last is asked, and only once it decides: a standby has the same applications in its cache, and they would count twice.
type applicationCollector struct {
	of   atomic.Pointer[Reconciler]
	desc *prometheus.Desc
}

var collector = newApplicationCollector()

func init() { metrics.Registry.MustRegister(collector) }

func newApplicationCollector() *applicationCollector {
	return &applicationCollector{desc: prometheus.NewDesc("sparkgate_applications",
		"Applications that have not come to their end, by stage.", []string{"namespace", "queue", "stage"}, nil)}
}

// Describe implements prometheus.Collector.
func (g *applicationCollector) Describe(out chan<- *prometheus.Desc) { out <- g.desc }

// Collect implements prometheus.Collector.
func (g *applicationCollector) Collect(out chan<- prometheus.Metric) {
	r := g.of.Load()
	if r == nil || !r.deciding.Load() {
		return
	}
	list := &v1alpha1.SparkApplicationList{}
	if err := r.Client.List(context.Background(), list, client.UnsafeDisableDeepCopy); err != nil {
		out <- prometheus.NewInvalidMetric(g.desc, err)
		return
	}
	type place struct{ namespace, queue, stage string }
	count := map[place]int{}
	r.Series.Count(func(value func(queue string) string) {
		for i := range list.Items {
			app := &list.Items[i]
			if stage, known := status.StageOf(app.Status.Conditions); known && stage != status.New && !stage.Ended() {
				count[place{app.Namespace, value(app.Status.Queue), string(stage)}]++
			}
		}
	})
	for p, n := range count {
		out <- prometheus.MustNewConstMetric(g.desc, prometheus.GaugeValue, float64(n), p.namespace, p.queue, p.stage)
	}
}
