// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestWritesOfALife counts what the operator writes for applications that do not wait, from apply to succeeded, without stage events.
// Its clock stands still, so nothing is written only because time has passed: docs/architecture.md, "What is written when", has the rest.
//
// It is not parallel: its operator would deal with the applications of other tests.
func TestWritesOfALife(t *testing.T) {
	network := harness.NewNetwork(nil)
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap, FewEvents: true, Clock: harness.StandingClock{At: time.Now()}})
	w.Succeed(w.Apply("first")) // the queue is taken over, and has its conditions
	before := len(network.Log())

	const lives = 5
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		app := w.Apply(name)
		driver := w.Run(app)
		for _, executor := range w.Kubelet.Executors(t.Context(), driver, 2) {
			w.Kubelet.Finish(t.Context(), executor, 0, "Completed")
		}
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		w.Reach(app, v1alpha1.SucceededReason)
	}
	want := map[string]int{
		"PATCH sparkapplications/status": 3 * lives, "PATCH sparkapplications": lives,
		"POST configmaps": lives, "POST services": lives, "POST pods": lives, "DELETE services": lives,
		"PATCH sparkqueues/status": lives,
	}
	if diff := cmp.Diff(want, harness.Kinds(network.Log()[before:])); diff != "" {
		t.Errorf("writes of %d lives (-want +got):\n%s", lives, diff)
	}
}
