// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestLedgerWithGarbage: invalid entries are left out when a ledger is taken over, and its tree is led.
func TestLedgerWithGarbage(t *testing.T) {
	t.Parallel()
	for name, ledger := range map[string]*v1alpha1.Ledger{
		"text":     {Entries: "everything"},
		"lists":    {Entries: `{"inFlight": {"a": 1}, "orphans": [7]}`},
		"requests": {Entries: `{"inFlight": {"Test": [{"namespace": "default", "name": "x", "uid": "x", "grant": {"queue": "team-a", "podSets": [{"name": "driver", "count": -5, "requests": {"cpu": "-1e30"}}]}}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, _ := measured(t, ledger)
			takenOver(t, r)
			if err := r.loop.cycles.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			verdict, err := r.Sync(t.Context(), piSince(noon))
			if err != nil || verdict.State != queueing.Granted {
				t.Errorf("%+v, %v; want a grant", verdict, err)
			}
		})
	}
}

// takenOver opens a gate for the stored objects, and returns its verdict on the application pi.
func takenOver(t *testing.T, r *Gate) queueing.Verdict {
	t.Helper()
	acquired, err := r.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Open(acquired, nil, nil, func(queueing.Key) bool { return true })
	verdict, err := r.Sync(t.Context(), piSince(noon))
	if err != nil {
		t.Fatal(err)
	}
	return verdict
}
