// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
	"github.com/sparkgate/sparkgate/internal/status"
)

// applicationCollector counts applications that have not ended, by stage, at each scrape, and looks for those that have waited longest.
// It reads the cache; the operator that was set up last is asked, and only once it decides: a standby has the same applications in its
// cache, and they would count twice.
type applicationCollector struct {
	of            metricseries.Sources[Reconciler]
	count, oldest *prometheus.Desc
}

var collector = newApplicationCollector()

func init() { metrics.Registry.MustRegister(collector) }

func newApplicationCollector() *applicationCollector {
	return &applicationCollector{
		count: prometheus.NewDesc("sparkgate_applications",
			"Applications that have not finished, by stage.", []string{"namespace", "queue", "stage"}, nil),
		oldest: prometheus.NewDesc("sparkgate_oldest_wait_start_time_seconds",
			"When the application that has waited longest for quota began to wait, in seconds since 1970.", []string{"namespace", "queue"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (g *applicationCollector) Describe(out chan<- *prometheus.Desc) {
	out <- g.count
	out <- g.oldest
}

// Collect implements prometheus.Collector.
func (g *applicationCollector) Collect(out chan<- prometheus.Metric) {
	count, oldest := map[stagePlace]int{}, map[place]int64{}
	for _, r := range g.of.All() {
		if err := r.countApplications(count, oldest); err != nil {
			out <- prometheus.NewInvalidMetric(g.count, err)
			return
		}
	}
	for p, n := range count {
		out <- prometheus.MustNewConstMetric(g.count, prometheus.GaugeValue, float64(n), p.namespace, p.queue, p.stage)
	}
	for p, since := range oldest {
		out <- prometheus.MustNewConstMetric(g.oldest, prometheus.GaugeValue, float64(since), p.namespace, p.queue)
	}
}

// countApplications adds the applications that this leader decides on, if it does.
func (r *Reconciler) countApplications(count map[stagePlace]int, oldest map[place]int64) error {
	if !r.deciding.Load() {
		return nil
	}
	list := &v1alpha1.SparkApplicationList{}
	if err := r.Client.List(context.Background(), list, wholeOnes, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	r.Series.Count(func(value func(queue string) string) {
		for i := range list.Items {
			app := &list.Items[i]
			in := place{app.Namespace, value(app.Status.Queue)}
			stage, known := status.StageOf(app.Status.Conditions)
			if !known || stage == status.New || stage.Ended() {
				continue
			}
			if owned, err := r.owns(context.Background(), app); err != nil || !owned {
				continue
			}
			count[stagePlace{in, string(stage)}]++
			if since := app.Status.Times.Waiting; since != nil {
				oldest[in] = min(cmp.Or(oldest[in], since.Unix()), since.Unix())
			}
		}
	})
	return nil
}

type (
	place      struct{ namespace, queue string }
	stagePlace struct {
		place
		stage string
	}
)
