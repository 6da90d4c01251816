// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/metricseries"
)

type fixedEngine map[string]State

func (fixedEngine) Reload(context.Context) error      { return nil }
func (e fixedEngine) State(name string) (State, bool) { s, known := e[name]; return s, known }
func (fixedEngine) WriteCounts(string) bool           { return false }

func (e fixedEngine) Names() []string { return []string{"gpus", "team-a"} }

func TestGauges(t *testing.T) {
	t.Parallel()
	g := newGauges()
	if n := testutil.CollectAndCount(g); n != 0 {
		t.Errorf("%d metrics before there is an engine", n)
	}
	var engine Engine = fixedEngine{"team-a": {Pending: 2, Admitted: 1, Share: ptr.To(0.25), Waiting: map[string]int32{"WaitingForQuota": 1, "ExceedsQuota": 1}, Usage: []v1alpha1.QueueUsage{
		{Flavor: "arm", Resource: "cpu", Used: resource.MustParse("1"), Nominal: ptr.To(resource.MustParse("3")), Lent: ptr.To(resource.MustParse("1500m")), Reserved: ptr.To(resource.MustParse("500m"))},
		{Flavor: "default", Resource: "cpu", Used: resource.MustParse("600m"), Nominal: ptr.To(resource.MustParse("500m")), Borrowed: ptr.To(resource.MustParse("100m"))},
		{Flavor: "default", Resource: "pods", Used: resource.MustParse("3")},
		{Flavor: "default", Resource: "nvidia.com/gpu", Used: resource.MustParse("2")}, // limited elsewhere
		{Flavor: "default", Resource: "a.invented/r1", Used: resource.MustParse("1")},  // by a user
	}}, "gpus": {Usage: []v1alpha1.QueueUsage{{Flavor: "gpu", Resource: "nvidia.com/gpu", Nominal: ptr.To(resource.MustParse("8"))}}}}
	g.engine.Store(&engine)
	const want = `
		# HELP sparkgate_queue_admitted Applications that hold quota, of the queue and those below it.
		# TYPE sparkgate_queue_admitted gauge
		sparkgate_queue_admitted{queue="gpus"} 0
		sparkgate_queue_admitted{queue="team-a"} 1
		# HELP sparkgate_queue_borrowed What is used above nominal.
		# TYPE sparkgate_queue_borrowed gauge
		sparkgate_queue_borrowed{flavor="default",queue="team-a",resource="cpu"} 0.1
		# HELP sparkgate_queue_lent Unused nominal quota that cannot be used now, because other queues have borrowed it.
		# TYPE sparkgate_queue_lent gauge
		sparkgate_queue_lent{flavor="arm",queue="team-a",resource="cpu"} 1.5
		# HELP sparkgate_queue_nominal Nominal quota of the queue and those below it; absent without a limit.
		# TYPE sparkgate_queue_nominal gauge
		sparkgate_queue_nominal{flavor="gpu",queue="gpus",resource="nvidia.com/gpu"} 8
		sparkgate_queue_nominal{flavor="arm",queue="team-a",resource="cpu"} 3
		sparkgate_queue_nominal{flavor="default",queue="team-a",resource="cpu"} 0.5
		# HELP sparkgate_queue_pending Applications that wait, of the queue and those below it.
		# TYPE sparkgate_queue_pending gauge
		sparkgate_queue_pending{queue="gpus"} 0
		sparkgate_queue_pending{queue="team-a"} 2
		# HELP sparkgate_queue_reserved Free quota that is kept for applications of the queue and those below it.
		# TYPE sparkgate_queue_reserved gauge
		sparkgate_queue_reserved{flavor="arm",queue="team-a",resource="cpu"} 0.5
		# HELP sparkgate_queue_share The share of its parent's quota that the queue borrows, divided by its weight; absent for a root.
		# TYPE sparkgate_queue_share gauge
		sparkgate_queue_share{queue="team-a"} 0.25
		# HELP sparkgate_queue_usage What the queue and those below it use: cores, bytes, or numbers of devices.
		# TYPE sparkgate_queue_usage gauge
		sparkgate_queue_usage{flavor="arm",queue="team-a",resource="cpu"} 1
		sparkgate_queue_usage{flavor="default",queue="team-a",resource="cpu"} 0.6
		sparkgate_queue_usage{flavor="default",queue="team-a",resource="nvidia.com/gpu"} 2
		sparkgate_queue_usage{flavor="default",queue="team-a",resource="pods"} 3
		sparkgate_queue_usage{flavor="gpu",queue="gpus",resource="nvidia.com/gpu"} 0
		# HELP sparkgate_queue_waiting Applications that wait in this queue itself, by the reason in their status.
		# TYPE sparkgate_queue_waiting gauge
		sparkgate_queue_waiting{queue="team-a",reason="ExceedsQuota"} 1
		sparkgate_queue_waiting{queue="team-a",reason="WaitingForQuota"} 1
	`
	if err := testutil.CollectAndCompare(g, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}

// The buckets distinguish waits of minutes, hours and days.
func TestWaitsAndCycles(t *testing.T) {
	t.Parallel()
	meter := Meter{metricseries.New(Series()...)}
	meter.Configured([]string{"of-this-test"})
	for _, waited := range []time.Duration{0, 90 * time.Second, 3 * time.Hour, 36 * time.Hour, 30 * 24 * time.Hour} {
		meter.Granted("of-this-test", waited)
	}
	const want = `
		# HELP sparkgate_queue_wait_seconds Time in line until a grant that its application has taken.
		# TYPE sparkgate_queue_wait_seconds histogram
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="1"} 1
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="5"} 1
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="15"} 1
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="60"} 1
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="300"} 2
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="900"} 2
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="1800"} 2
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="3600"} 2
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="7200"} 2
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="14400"} 3
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="43200"} 3
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="86400"} 3
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="172800"} 4
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="604800"} 4
		sparkgate_queue_wait_seconds_bucket{queue="of-this-test",le="+Inf"} 5
		sparkgate_queue_wait_seconds_sum{queue="of-this-test"} 2.73249e+06
		sparkgate_queue_wait_seconds_count{queue="of-this-test"} 5
	`
	if err := testutil.CollectAndCompare(waits, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
	meter.Granted("invented", time.Second)
	meter.Configured(nil)
	if n := testutil.CollectAndCount(waits); n != 1 {
		t.Errorf("%d queues after the only one was deleted and another was invented, want 1, %s", n, metricseries.Unknown)
	}
	meter.Cycled(3 * time.Millisecond)
	if n := testutil.CollectAndCount(cycles); n != 1 {
		t.Errorf("%d metrics of cycles, want one for all queues", n)
	}
}
