// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// TestHangs: a driver that has lost all of its executors for five minutes is said to hang, unless executors come and go.
func TestHangs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		gone    time.Duration
		version string
		dynamic bool
		want    string
	}{
		"a while":            {4 * time.Minute, "4.1.4", false, ""},
		"long enough":        {5 * time.Minute, "4.1.4", false, `all executors are gone since 2026-01-01T12:55:00Z: if the program has ended, a non-daemon thread keeps its driver alive; stop it, or set spark.submit.callSystemExitOnMainExit to "true" in spec.sparkConf`},
		"Spark 3.5":          {time.Hour, "3.5.8", false, "end the program with exit"},
		"dynamic allocation": {time.Hour, "4.1.4", true, ""},
		"it has some":        {0, "4.1.4", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			app := &v1alpha1.SparkApplication{Spec: v1alpha1.SparkApplicationSpec{SparkVersion: tc.version}}
			if tc.dynamic {
				app.Spec.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true}
			}
			st := &state{o: Observation{Now: epoch.Add(time.Hour), App: app}}
			if tc.gone > 0 {
				st.o.ExecutorsGoneSince = st.o.Now.Add(-tc.gone)
			}
			got := hangMessage(st)
			if !strings.Contains(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			if advice := shorten(st); got == "" && !strings.HasPrefix(advice, "raise it") || got != "" && advice != got {
				t.Errorf("a job that takes too long is told: %s", advice)
			}
		})
	}
}

// TestWeights: executors count for as many as they request together.
func TestWeights(t *testing.T) {
	t.Parallel()
	of := func(node string, cpu, memory int64) *pods.Record {
		return &pods.Record{Origin: &pods.Origin{CPU: cpu, Memory: memory}, Node: node, Scheduled: node != ""}
	}
	for name, tc := range map[string]struct {
		of   []*pods.Record
		want int32
	}{
		"none":                      {nil, 0},
		"as granted":                {[]*pods.Record{of("n", 1000, 100), of("n", 1000, 100)}, 2},
		"smaller":                   {[]*pods.Record{of("n", 1, 1)}, 1},
		"twice the memory":          {[]*pods.Record{of("n", 1000, 200)}, 2},
		"a sidecar in each of four": {[]*pods.Record{of("n", 1000, 125), of("n", 1000, 125), of("n", 1000, 125), of("n", 1000, 125)}, 5},
		"cpu and memory":            {[]*pods.Record{of("n", 3000, 200)}, 3},
		"without a node":            {[]*pods.Record{of("", 9000, 900)}, 1},
	} {
		c := &executors{allowed: map[string]int64{"cpu": 1000, "memory": 100}}
		if got := c.weights(tc.of); got != tc.want {
			t.Errorf("%s: %d, want %d", name, got, tc.want)
		}
	}
}

// TestForgives: refusals are forgotten after a minute without surplus, so that executors that Spark starts by mistake now and then end no
// attempt.
func TestForgives(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		quiet time.Duration
		want  int32
	}{"soon after": {59 * time.Second, 3}, "a minute later": {time.Minute, 0}} {
		st := &state{o: Observation{Now: epoch.Add(time.Hour), LastWrite: epoch.Add(time.Hour - tc.quiet)}}
		st.s.Executors = &v1alpha1.ExecutorStatus{Refusals: 3}
		forgive(st)
		if got := st.s.Executors.Refusals; got != tc.want || (got > 0) == st.decision.RequeueAt.IsZero() {
			t.Errorf("%s: %d refusals, next look at %s", name, got, st.decision.RequeueAt)
		}
	}
}
