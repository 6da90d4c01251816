// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestWritesOfAStart counts what the operator writes from apply to the driver pod of an application that Kueue admits at once. The clock
// stands still, so that Kueue has all the time that it needs.
func TestWritesOfAStart(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	network := harness.NewNetwork(nil)
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap, FewEvents: true, Clock: harness.StandingClock{At: time.Now()}})
	w := newWorld(t, "6Gi")
	w.Driver(w.apply("first"))
	before := len(network.Log())
	w.Driver(w.apply("second"))
	counts := harness.Kinds(network.Log()[before:])
	delete(counts, "PATCH workloads/status") // PodsReady=False follows the driver pod
	want := map[string]int{
		"POST workloads": 1, "PATCH sparkapplications": 1, "PATCH sparkapplications/status": 1, "POST configmaps": 1, "POST services": 1, "POST pods": 1,
	}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("writes of a start (-want +got):\n%s", diff)
	}
}
