// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// zeros is how often a new series is collected with 0: two, because often two Prometheus scrape the same targets.
const zeros = 2

// Counters are counters with labels, of which no amount is lost to Prometheus' increase(). That sees nothing in the first
// value of a series, but a process adds most right after its start, and rare labels once. So a series has the value 0
// in its first two collections, whatever was added to it before, and its total from the third on. A series that nobody
// collects needs no more memory for that. Counters are safe for concurrent use.
type Counters struct {
	desc   *prometheus.Desc
	labels []string

	mu     sync.Mutex
	series map[string]*series // by their label values
}

type series struct {
	values []string
	total  float64
	// collected is how often the series was collected, at most zeros.
	collected int
}

// NewCounters returns counters without series.
func NewCounters(name, help string, labels ...string) *Counters {
	return &Counters{desc: prometheus.NewDesc(name, help, labels, nil), labels: labels, series: map[string]*series{}}
}

// Add adds an amount, which is not negative, to the series with these label values. The series exists from then on, also
// if the amount is 0.
func (c *Counters) Add(amount float64, values ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := strings.Join(values, "\xff") // is in no valid value
	s := c.series[key]
	if s == nil {
		s = &series{values: values}
		c.series[key] = s
	}
	s.total += amount
}

// Inc adds 1 to the series with these label values.
func (c *Counters) Inc(values ...string) { c.Add(1, values...) }

// Total returns what was added to a series, whether it is collected yet or not. It is 0 if there is no such series.
func (c *Counters) Total(values ...string) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.series[strings.Join(values, "\xff")]; s != nil {
		return s.total
	}
	return 0
}

// Describe implements prometheus.Collector.
func (c *Counters) Describe(out chan<- *prometheus.Desc) { out <- c.desc }

// Collect implements prometheus.Collector.
func (c *Counters) Collect(out chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.series {
		shown := s.total
		if s.collected < zeros {
			s.collected++
			shown = 0
		}
		out <- prometheus.MustNewConstMetric(c.desc, prometheus.CounterValue, shown, s.values...)
	}
}

// DeletePartialMatch deletes the series that have all of these labels, and returns how many it has deleted.
func (c *Counters) DeletePartialMatch(labels prometheus.Labels) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.series)
	for key, s := range c.series {
		if c.has(s, labels) {
			delete(c.series, key)
		}
	}
	return n - len(c.series)
}

func (c *Counters) has(s *series, labels prometheus.Labels) bool {
	for name, value := range labels {
		if i := slices.Index(c.labels, name); i < 0 || s.values[i] != value {
			return false
		}
	}
	return true
}
