// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
)

// metric is a counter with two labels for queues, and its bounds.
type metric struct {
	*Bounds
	vec *prometheus.CounterVec
}

func newMetric() metric {
	vec := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "taken", Help: "Quota that was taken."}, []string{"namespace", "queue", "taker"})
	return metric{New(Vector{vec, []string{"queue", "taker"}}), vec}
}

func (m metric) count(namespace, queue, taker string) {
	m.Count(func(value func(string) string) { m.vec.WithLabelValues(namespace, value(queue), value(taker)).Inc() })
}

func (m metric) expect(t *testing.T, want ...string) {
	t.Helper()
	text := "# HELP taken Quota that was taken.\n# TYPE taken counter\n"
	for _, line := range want {
		text += "taken{" + line + "\n"
	}
	if len(want) == 0 {
		text = ""
	}
	if err := testutil.CollectAndCompare(m.vec, strings.NewReader(text)); err != nil {
		t.Error(err)
	}
}

// TestOnlyConfiguredQueues: a thousand invented names share one series, and the series of a removed queue are deleted,
// whichever label has its name.
func TestOnlyConfiguredQueues(t *testing.T) {
	t.Parallel()
	m := newMetric()
	m.count("a", "team-a", "") // nothing is configured yet
	m.expect(t, `namespace="a",queue="unknown",taker=""} 1`)
	m.Configure([]string{"team-a", "team-b", "team-c"})
	for i := range 1000 {
		m.count("a", fmt.Sprintf("invented-%d", i), fmt.Sprintf("other-%d", i))
	}
	m.count("a", "team-a", "")
	m.count("a", "team-a", "team-b")
	m.count("a", "team-b", "team-a")
	m.count("b", "team-b", "team-c")
	m.Configure([]string{"team-b", "team-c"})
	m.count("a", "team-a", "team-b") // one that still ran in it
	m.expect(t, `namespace="a",queue="unknown",taker=""} 1`, `namespace="a",queue="unknown",taker="team-b"} 1`,
		`namespace="a",queue="unknown",taker="unknown"} 1000`, `namespace="b",queue="team-b",taker="team-c"} 1`)
	m.DropNamespace("a")
	m.expect(t, `namespace="b",queue="team-b",taker="team-c"} 1`)
	m.Configure(nil)
	m.expect(t)
}

// TestNoSeriesAfterRemoval: however often a queue is counted while it is added and removed, no series is left after its
// removal.
func TestNoSeriesAfterRemoval(t *testing.T) {
	t.Parallel()
	m := newMetric()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 2000 {
				m.count("a", "team-a", "")
			}
		})
	}
	for range 200 {
		m.Configure([]string{"team-a"})
		m.Configure(nil)
	}
	all.Wait()
	if n := m.vec.DeletePartialMatch(prometheus.Labels{"queue": "team-a"}); n != 0 {
		t.Errorf("%d series of a queue that was removed", n)
	}
}
