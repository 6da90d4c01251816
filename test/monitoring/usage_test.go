// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"fmt"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// sum returns the one value of a query now; 0 if it has none.
func (p *prometheus) sum(query string) float64 {
	p.t.Helper()
	q, err := p.engine.NewInstantQuery(p.t.Context(), p.db, nil, query, p.now)
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	defer q.Close()
	vector, err := q.Exec(p.t.Context()).Vector()
	if err != nil {
		p.t.Fatalf("%s: %v", query, err)
	}
	if len(vector) == 0 {
		return 0
	}
	return vector[0].F
}

// TestFirstCountsAreIncreases: what the first attempt of a namespace held and wasted, and what one held before this process looked after it, is in the
// sums of docs/usage.md: a counter that began with that would not have increased.
func TestFirstCountsAreIncreases(t *testing.T) {
	s := newScene(t, "8Gi")
	s.start()
	app := s.Apply("pi")
	driver := s.Run(app)
	s.pass(5 * time.Minute)
	s.clock.Advance(2 * time.Hour)
	s.Kubelet.Finish(t.Context(), driver, 3, "Error")
	s.Reach(app, v1alpha1.FailedReason)
	harness.MeasuredSoon(t, 1, "sparkgate_runs_total", "namespace="+s.Namespace, "outcome=Failed")
	s.pass(2 * time.Minute)
	for name, labels := range map[string]string{
		"sparkgate_usage_cpu_core_seconds_total": "basis=granted", "sparkgate_usage_memory_byte_seconds_total": "basis=requested",
		"sparkgate_attempt_cpu_core_seconds_total": "outcome=Failed", "sparkgate_attempt_memory_byte_seconds_total": "outcome=Failed",
	} {
		counted := harness.Measured(t, name, "namespace="+s.Namespace, labels)
		if got := s.sum(fmt.Sprintf("sum(increase(%s{namespace=%q}[30d]))", name, s.Namespace)); counted == 0 || got < counted*0.9 {
			t.Errorf("%s has increased by %v, and counted %v", name, got, counted)
		}
	}
}
