// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package metricseries

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// scrape returns what a scrape sees of counters, in order.
func scrape(t *testing.T, c *Counters) string {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, family := range families {
		if kind := family.GetType().String(); kind != "COUNTER" {
			t.Errorf("%s is a %s", family.GetName(), kind)
		}
		for _, m := range family.GetMetric() {
			values := []string{}
			for _, l := range m.GetLabel() {
				values = append(values, l.GetValue())
			}
			seen = append(seen, fmt.Sprintf("%s %v", strings.Join(values, "/"), m.GetCounter().GetValue()))
		}
	}
	return strings.Join(seen, ", ")
}

// TestCountersBeginWithZero: whatever was counted before the first scrapes, and whenever a series begins, two scrapes see
// it with 0, and the next one with all that it has. What is deleted begins again.
func TestCountersBeginWithZero(t *testing.T) {
	t.Parallel()
	c := NewCounters("ends", "Ends.", "namespace", "reason")
	expect := func(when, want string) {
		t.Helper()
		if got := scrape(t, c); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("before anything is counted", "")
	c.Add(780, "a", "Error")
	c.Add(0, "a", "Evicted") // known, and nothing has happened
	expect("the first scrape", "a/Error 0, a/Evicted 0")
	c.Add(4, "a", "Error")
	expect("the second", "a/Error 0, a/Evicted 0")
	c.Inc("a", "Evicted")
	c.Inc("b", "NodeLost")
	expect("the third: a rare reason, which was known, and one that was not", "a/Error 784, a/Evicted 1, b/NodeLost 0")
	expect("the fourth", "a/Error 784, a/Evicted 1, b/NodeLost 0")
	c.Inc("a", "Error")
	expect("the fifth", "a/Error 785, a/Evicted 1, b/NodeLost 1")

	if n := c.DeletePartialMatch(prometheus.Labels{"queue": "a"}) + c.DeletePartialMatch(prometheus.Labels{"namespace": "a", "reason": "Other"}); n != 0 {
		t.Errorf("%d series have labels that none has", n)
	}
	if n := c.DeletePartialMatch(prometheus.Labels{"namespace": "a"}); n != 2 {
		t.Errorf("%d series of a deleted namespace, want 2", n)
	}
	c.Add(3, "a", "Error")
	expect("after the namespace was deleted, and is there again", "a/Error 0, b/NodeLost 1")
	if got := []float64{c.Total("a", "Error"), c.Total("a", "Evicted")}; !slices.Equal(got, []float64{3, 0}) {
		t.Errorf("totals: %v", got)
	}
}

// TestCountersAreBounded: without any scrape, a million events of series that come and go leave nothing behind.
func TestCountersAreBounded(t *testing.T) {
	t.Parallel()
	c := NewCounters("ends", "Ends.", "namespace")
	bounds := New(Vector{Vec: c})
	for i := range 1000 {
		namespace := fmt.Sprintf("ns-%d", i)
		for range 1000 {
			c.Inc(namespace)
		}
		bounds.DropNamespace(namespace)
	}
	if n := len(c.series); n != 0 {
		t.Errorf("%d series of deleted namespaces", n)
	}
}

// TestCountersLoseNothing: what is counted while it is scraped is there in the end.
func TestCountersLoseNothing(t *testing.T) {
	t.Parallel()
	c := NewCounters("ends", "Ends.", "namespace")
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			for range 1000 {
				c.Inc(fmt.Sprint(i % 2))
			}
		})
	}
	for range 10 {
		scrape(t, c)
	}
	all.Wait()
	if got := scrape(t, c); got != "0 2000, 1 2000" {
		t.Errorf("it is %s", got)
	}
}
