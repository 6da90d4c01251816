// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/queueing"
)

// Whatever has happened: an explanation agrees with itself and with the verdict, says what would help, and changes nothing.
func TestExplanationsAgree(t *testing.T) {
	forSeeds(t, func(t *testing.T, w *world) {
		for range events {
			w.happen()
			decided := w.chance(0.4)
			if decided {
				w.cycle(t)
			}
			before := w.engine.States()
			for key := range w.engine.registry.apps {
				x, found := w.engine.Explain(key)
				if !found {
					t.Fatalf("%s is not explained", key.Name)
				}
				w.checkExplanation(t, key, x)
				if x.Pending != nil && decided {
					checkReason(t, key, x)
				}
			}
			if diff := cmp.Diff(before, w.engine.States()); diff != "" {
				t.Fatalf("explaining has changed something (-before +after):\n%s", diff)
			}
		}
	})
}

func (w *world) checkExplanation(t *testing.T, key queueing.Key, x Explanation) {
	t.Helper()
	if v := w.engine.Verdict(key); v.State != x.State || v.Reason != x.Reason || v.Message != x.Message {
		t.Fatalf("%s is explained as %s, its verdict is %s", key.Name, shown(x), says(v))
	}
	if x.Pending == nil {
		return
	}
	if len(x.Pending.Remedies) == 0 {
		t.Fatalf("nothing would help %s: %s", key.Name, shown(x))
	}
	if got, want := len(x.Pending.Ahead), min(AheadShown, max(0, x.Pending.Position-1)); got != want {
		t.Fatalf("%d are shown before %s, want %d: %s", got, key.Name, want, shown(x))
	}
	for _, n := range x.Pending.Needs {
		if want := max(0, n.Need-n.Available); n.Missing != want {
			t.Fatalf("%s misses %d of %s, want %d: %s", key.Name, n.Missing, n.Resource, want, shown(x))
		}
	}
}

// checkReason: after a decision, whoever waits for quota misses some, and whoever can never be admitted needs more than there ever is.
func checkReason(t *testing.T, key queueing.Key, x Explanation) {
	t.Helper()
	needs := x.Pending.Needs
	switch x.Reason {
	case queueing.ReasonWaitingForQuota:
		behind := strings.Contains(strings.Join(x.Pending.Remedies, " "), "StrictFIFO")
		if x.Holding == nil && !behind && !slices.ContainsFunc(needs, func(n Need) bool { return n.Missing > 0 }) {
			t.Fatalf("%s waits for quota and misses none: %s", key.Name, shown(x))
		}
	case queueing.ReasonExceedsQuota:
		if !slices.ContainsFunc(needs, func(n Need) bool { return n.Need > n.Most }) {
			t.Fatalf("%s asks for too much, and nothing is too much: %s", key.Name, shown(x))
		}
	}
}
