// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package adopt

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestWritesOfALife counts what the operator writes for adopted jobs that do not wait: five times more than for its own, the executors of each
// included. It is not parallel: its operator would deal with the jobs of other tests.
func TestWritesOfALife(t *testing.T) {
	network := harness.NewNetwork(nil)
	harness.StartOperator(t, harness.OperatorOptions{Network: network.Wrap, FewEvents: true, Adopt: true, Clock: harness.StandingClock{At: time.Now()}})
	w := newWorldOf(t, "64Gi", nil)
	live := func(name string) {
		theirs := w.apply(called(name))
		ours := w.ours(theirs)
		driver := w.Run(ours)
		w.reach(theirs, "RUNNING")
		for _, executor := range w.Kubelet.Executors(t.Context(), driver, 2) {
			w.Kubelet.Finish(t.Context(), executor, 0, "Completed")
		}
		w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
		w.reach(theirs, "COMPLETED")
	}
	live("first") // the queue is taken over, and has its conditions
	before := len(network.Log())
	names := []string{"a", "b", "c", "d", "e"}
	for _, name := range names {
		live(name)
	}
	lives := len(names)
	want := map[string]int{
		"POST sparkapplications": lives, "PATCH sparkapplications/status": (3 + 3) * lives, "PATCH sparkapplications": lives,
		"POST configmaps": lives, "POST services": 2 * lives, "POST pods": lives, "DELETE services": lives, "PATCH sparkqueues/status": lives,
	}
	if diff := cmp.Diff(want, harness.Kinds(network.Log()[before:])); diff != "" {
		t.Errorf("writes of %d lives (-want +got):\n%s", lives, diff)
	}
}
