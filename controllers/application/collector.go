// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// applicationCollector counts at each scrape the unfinished applications by stage and those whose pods cannot be ended,
// and finds the longest wait for quota. It reads the cache of the reconciler that was set up last, and only once that
// reconciler decides: a standby has the same applications in its cache, and they would be counted twice.
type applicationCollector struct {
	of                  atomic.Pointer[Reconciler]
	count, oldest, lost *prometheus.Desc
}

var collector = newApplicationCollector()

func init() { metrics.Registry.MustRegister(collector) }

func newApplicationCollector() *applicationCollector {
	return &applicationCollector{
		count: prometheus.NewDesc("sparkgate_applications",
			"Applications that have not finished, by stage.", []string{"namespace", "queue", "stage"}, nil),
		oldest: prometheus.NewDesc("sparkgate_oldest_wait_start_time_seconds",
			"When the application that has waited longest for quota began to wait, in seconds since 1970.", []string{"namespace", "queue"}, nil),
		lost: prometheus.NewDesc("sparkgate_node_lost_applications",
			"Applications with pods that cannot be ended, because their node does not answer.", []string{"namespace", "queue"}, nil),
	}
}

// Describe implements prometheus.Collector.
func (g *applicationCollector) Describe(out chan<- *prometheus.Desc) {
	out <- g.count
	out <- g.oldest
	out <- g.lost
}

// Collect implements prometheus.Collector.
func (g *applicationCollector) Collect(out chan<- prometheus.Metric) {
	seen := tally{map[stagePlace]int{}, map[place]int64{}, map[place]int{}}
	if r := g.of.Load(); r != nil {
		if err := r.countApplications(seen); err != nil {
			out <- prometheus.NewInvalidMetric(g.count, err)
			return
		}
	}
	for p, n := range seen.count {
		out <- prometheus.MustNewConstMetric(g.count, prometheus.GaugeValue, float64(n), p.namespace, p.queue, p.stage)
	}
	for p, since := range seen.oldest {
		out <- prometheus.MustNewConstMetric(g.oldest, prometheus.GaugeValue, float64(since), p.namespace, p.queue)
	}
	for p, n := range seen.lost {
		out <- prometheus.MustNewConstMetric(g.lost, prometheus.GaugeValue, float64(n), p.namespace, p.queue)
	}
}

// countApplications adds the unfinished applications. It adds nothing in a standby.
func (r *Reconciler) countApplications(seen tally) error {
	if !r.deciding.Load() {
		return nil
	}
	list := &v1alpha1.SparkApplicationList{}
	if err := r.Client.List(context.Background(), list, uncompressedOnly, client.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	r.Series.Count(func(value func(queue string) string) {
		for i := range list.Items {
			app := &list.Items[i]
			if stage, known := status.StageOf(app.Status.Conditions); known && stage != status.New && !stage.Ended() {
				seen.add(place{app.Namespace, value(app.Status.Queue)}, string(stage), &app.Status)
			}
		}
	})
	return nil
}

// add counts one application.
func (c tally) add(in place, stage string, s *v1alpha1.SparkApplicationStatus) {
	c.count[stagePlace{in, stage}]++
	if since := s.Times.Waiting; since != nil {
		c.oldest[in] = min(cmp.Or(c.oldest[in], since.Unix()), since.Unix())
	}
	if apimeta.IsStatusConditionTrue(s.Conditions, v1alpha1.NodeLostCondition) {
		c.lost[in]++
	}
}

// tally holds the sums over the applications of all leaders.
type tally struct {
	count  map[stagePlace]int
	oldest map[place]int64
	lost   map[place]int
}

// place is the labels under which an application is counted; stagePlace adds its stage.
type (
	place      struct{ namespace, queue string }
	stagePlace struct {
		place
		stage string
	}
)
