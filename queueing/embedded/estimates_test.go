// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// TestEstimates: while a head waits for all of its queue, an ask without a bound passes it if it is expected to end
// before the holder does, by what the last asks of the queue took. After eight hours only bounds count.
func TestEstimates(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		holder string
		// took is how long each of three asks took before.
		took time.Duration
		// after is how long the head has waited.
		after  time.Duration
		passes bool
	}{
		"nothing is known of either":      {"", 0, 11 * time.Minute, false},
		"shorter than the rest":           {"holds=3h", 0, 11 * time.Minute, true},
		"longer than the rest":            {"holds=1h", 0, 11 * time.Minute, false},
		"others took a minute":            {"holds=1h", time.Minute, 11 * time.Minute, true},
		"others took an hour":             {"holds=2h", time.Hour, 11 * time.Minute, false},
		"one that has outlived estimates": {"", 10 * time.Minute, 30 * time.Minute, true},
		"it has waited for too long":      {"holds=24h", time.Minute, 9 * time.Hour, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := engineWith(t, "a cpu=4 head=10m", "")
			now := epoch
			for _, name := range []string{"x", "y", "z"} {
				if tc.took > 0 {
					submit(t, e, name+" queue=a cpu=1 executors=0")
					e.Advance(now)
					e.Cycle(0)
					now = now.Add(tc.took)
					e.Advance(now)
					e.Release(keyOf(name))
				}
			}
			submit(t, e, "holder queue=a cpu=3 executors=0 "+tc.holder)
			e.Advance(now)
			e.Cycle(0)
			submit(t, e, "head queue=a cpu=4 executors=0 at=1")
			e.Cycle(0)
			e.Advance(now.Add(tc.after))
			submit(t, e, "small queue=a cpu=1 executors=0 at=2")
			got := slices.ContainsFunc(e.Cycle(0), func(d state.Decision) bool { return d.Key == keyOf("small") })
			if got != tc.passes {
				t.Errorf("passes: %t, want %t", got, tc.passes)
			}
		})
	}
}
