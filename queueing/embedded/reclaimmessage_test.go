// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

// TestWhyExecutorsAreReclaimed: the message is true of executors above a base gang, which have no age in the queue.
func TestWhyExecutorsAreReclaimed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ asks, want string }{
		"newer, same priority": {"new queue=a cpu=1 executors=0 at=9", "preempted by default/new: pods above the base gang come after pending asks of the same priority 0"},
		"older, same priority": {"new queue=a cpu=1 executors=0 at=1", "preempted by default/new: pods above the base gang come after pending asks of the same priority 0"},
		"higher priority":      {"new queue=a cpu=1 executors=0 at=9 prio=3", "preempted by default/new: its priority 3 is higher than 0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "a cpu=4 within=LowerOrNewerEqualPriority", "old queue=a cpu=1 executors=1 at=5 gated")
			e.Cycle(0)
			e.SetResizeRequest(keyOf("old"), 1, 1, queueing.ResizeRequest{PodSet: "executor", Count: 2})
			grown := e.Cycle(0)
			if len(grown) != 1 || !e.Settle(keyOf("old"), grown[0].Grant) {
				t.Fatalf("grown: %v", grown)
			}
			submit(t, e, tt.asks)
			e.Cycle(0)
			var got []string
			for _, r := range e.Allocation(keyOf("old"), 1, 1).Reclaims {
				got = append(got, r.Why.Message)
			}
			if diff := cmp.Diff([]string{tt.want}, got); diff != "" {
				t.Errorf("why (-want +got):\n%s", diff)
			}
		})
	}
}
