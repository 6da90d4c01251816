// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

type fixedEngine map[string]State

func (fixedEngine) Reload(context.Context) error      { return nil }
func (e fixedEngine) State(name string) (State, bool) { s, known := e[name]; return s, known }
func (e fixedEngine) Names() []string                 { return []string{"gone", "team-a"} }

func TestGauges(t *testing.T) {
	t.Parallel()
	g := newGauges()
	if n := testutil.CollectAndCount(g); n != 0 {
		t.Errorf("%d metrics before there is an engine", n)
	}
	g.of(fixedEngine{"team-a": {Pending: 2, Admitted: 1, Usage: []v1alpha1.QueueUsage{
		{Flavor: "default", Resource: "cpu", Used: resource.MustParse("600m"), Nominal: ptr.To(resource.MustParse("500m")), Borrowed: ptr.To(resource.MustParse("100m"))},
		{Flavor: "default", Resource: "pods", Used: resource.MustParse("3")},
	}}})
	const want = `
		# HELP sparkgate_queue_admitted Applications that hold room, of the queue and those below it.
		# TYPE sparkgate_queue_admitted gauge
		sparkgate_queue_admitted{queue="team-a"} 1
		# HELP sparkgate_queue_borrowed What is used above nominal.
		# TYPE sparkgate_queue_borrowed gauge
		sparkgate_queue_borrowed{flavor="default",queue="team-a",resource="cpu"} 0.1
		# HELP sparkgate_queue_nominal Nominal quota of the queue and those below it; absent without a limit.
		# TYPE sparkgate_queue_nominal gauge
		sparkgate_queue_nominal{flavor="default",queue="team-a",resource="cpu"} 0.5
		# HELP sparkgate_queue_pending Applications that wait, of the queue and those below it.
		# TYPE sparkgate_queue_pending gauge
		sparkgate_queue_pending{queue="team-a"} 2
		# HELP sparkgate_queue_usage What the queue and those below it use: cores, bytes, pieces.
		# TYPE sparkgate_queue_usage gauge
		sparkgate_queue_usage{flavor="default",queue="team-a",resource="cpu"} 0.6
		sparkgate_queue_usage{flavor="default",queue="team-a",resource="pods"} 3
	`
	if err := testutil.CollectAndCompare(g, strings.NewReader(want)); err != nil {
		t.Error(err)
	}
}
