// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// TestBoundThatWasNeeded: a grant is held to the bound of its ask only if the bound was needed to overtake an ask with
// a reservation.
func TestBoundThatWasNeeded(t *testing.T) {
	t.Parallel()
	const bound = time.Minute
	for name, tc := range map[string]struct {
		// big is what the head needs besides the holder, which has 2 of 4 cores for an hour.
		big   int64
		after time.Duration
		want  time.Duration
	}{
		"nobody waits":         {0, 0, 0},
		"room is not kept yet": {4, time.Second, 0},
		"room is kept":         {4, time.Minute, bound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, timeout := New(), 10*time.Second
			e.SetQueues([]config.Queue{{
				Name: "q", Admits: func(map[string]string) bool { return true }, HeadTimeout: &timeout,
				Flavors: []config.FlavorQuota{{Name: config.DefaultFlavor, Quotas: []config.ResourceQuota{{Resource: "cpu", Nominal: 4}}}},
			}})
			at := time.Duration(0)
			ask := func(name string, cpu int64, holds time.Duration) queueing.Grant {
				key := queueing.Key{Namespace: "ns", Name: name, UID: name}
				e.Submit(queueing.Ask{Key: key, Run: 1, Attempt: 1, Queue: "q", QueuedAt: epoch.Add(at), HoldsFor: holds,
					PodSets: []queueing.PodSet{{Name: "driver", Count: 1, Requests: queueing.Resources{"cpu": cpu}}}})
				e.Advance(epoch.Add(at))
				var got queueing.Grant
				for _, d := range e.Cycle(0) {
					if d.Key == key {
						got = d.Grant
					}
				}
				return got
			}
			if g := ask("holder", 2, time.Hour); g.Run != 1 || g.HoldsFor != 0 {
				t.Fatalf("the first of all gets %+v", g)
			}
			if tc.big > 0 {
				if g := ask("big", tc.big, 0); g.Run != 0 {
					t.Fatalf("the big one gets %+v", g)
				}
			}
			at += tc.after
			if g := ask("small", 1, bound); g.Run != 1 || g.HoldsFor != tc.want {
				t.Errorf("run %d is held to %s, want %s", g.Run, g.HoldsFor, tc.want)
			}
		})
	}
}
