// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package simulator

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// TestAnyScenarioReplays: a scenario has the same result with a decision log, and the log can be replayed.
func TestAnyScenarioReplays(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 100, func(seed uint64) {
		s := randomScenario(rand.New(rand.NewPCG(seed, 3)))
		var log bytes.Buffer
		with := eventsOf(t, s, decisionlog.New(decisionlog.Options{Out: &log}))
		if diff := cmp.Diff(eventsOf(t, s, embedded.New()), with); diff != "" {
			t.Fatalf("events (-without +with a log):\n%s", diff)
		}
		admitted := 0
		for _, e := range with {
			if e.Event == Admitted {
				admitted++
			}
		}
		result, err := decisionlog.Replay(&log)
		if err != nil || result.Grants != admitted {
			t.Fatalf("%+v, %v, want %d grants", result, err, admitted)
		}
	})
}

func eventsOf(t *testing.T, s Scenario, e engine) []Event {
	t.Helper()
	var out []Event
	if _, err := run(s, e, func(e Event) error {
		out = append(out, e)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}
