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
	second := w.apply("second")
	driver := w.Driver(second)
	want := map[string]int{
		"POST workloads": 1, "PATCH sparkapplications": 1, "PATCH sparkapplications/status": 1, "POST configmaps": 1, "POST services": 1, "POST pods": 1,
	}
	if diff := cmp.Diff(want, harness.Kinds(network.Log()[before:])); diff != "" {
		t.Errorf("writes of a start (-want +got):\n%s", diff)
	}
	w.Kubelet.Start(t.Context(), driver)
	w.Reach(second, "Running")
	want["PATCH sparkapplications/status"]++
	if diff := cmp.Diff(want, harness.Kinds(network.Log()[before:])); diff != "" {
		t.Errorf("writes until it runs (-want +got):\n%s", diff)
	}
}
