// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// ledgerOfTeam is the ledger as it is stored.
func ledgerOfTeam(t *testing.T, r *Runner) v1alpha1.Ledger {
	t.Helper()
	queue := &v1alpha1.SparkQueue{}
	if err := r.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue); err != nil {
		t.Fatal(err)
	}
	return *queue.Status.Ledger
}

// A ledger at rest is empty: what is in flight no more is left out before long, by one write, whatever became of it.
func TestLedgerAtRest(t *testing.T) {
	t.Parallel()
	const granted, emptied = 2, 3 // seq; the first write took the ledger over
	tests := map[string]struct {
		becomes func(*testing.T, *Runner)
		after   time.Duration
		seq     int64
		entries int
	}{
		"confirmed": {func(_ *testing.T, r *Runner) { r.Confirm(pi, 1, 2) }, restTime, emptied, 0},
		"released": {func(t *testing.T, r *Runner) {
			if err := r.Release(t.Context(), pi); err != nil {
				t.Fatal(err)
			}
		}, restTime, emptied, 0},
		"confirmed a moment ago": {func(_ *testing.T, r *Runner) { r.Confirm(pi, 1, 2) }, restTime / 2, granted, 1},
		"still in flight":        {func(*testing.T, *Runner) {}, time.Hour, granted, 1},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _, clock := measured(t, nil)
			acquired, err := r.Acquire(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r.Open(acquired, nil, nil, func(queueing.Key) bool { return true })
			if _, err := r.Sync(t.Context(), piSince(noon)); err != nil {
				t.Fatal(err)
			}
			if err := r.cycle(t.Context()); err != nil {
				t.Fatal(err)
			}
			tc.becomes(t, r)
			clock.Step(tc.after)
			for range 3 { // nothing is written twice
				if err := r.rest(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := ledgerOfTeam(t, r); got.Seq != tc.seq || len(got.InFlight) != tc.entries {
				t.Errorf("write %d of the ledger has %d entries, want write %d with %d", got.Seq, len(got.InFlight), tc.seq, tc.entries)
			}
		})
	}
}

// What another process has left of applications that are gone goes, too, without a grant in between.
func TestLedgerAtRestAfterRestart(t *testing.T) {
	t.Parallel()
	r, _, clock := measured(t, inLedger(piSince(noon)))
	acquired, err := r.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Open(acquired, nil, nil, func(queueing.Key) bool { return false })
	select {
	case <-r.landing:
	default:
		t.Error("nobody looks at the ledger")
	}
	clock.Step(restTime)
	if err := r.rest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ledgerOfTeam(t, r); len(got.InFlight) != 0 {
		t.Errorf("it still has %v", got.InFlight)
	}
}

// The ledger of a queue that was deleted is nobody's business any more.
func TestLedgerOfDeletedQueue(t *testing.T) {
	t.Parallel()
	r, _, clock := measured(t, inLedger(piSince(noon)))
	if _, err := r.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	queue := &v1alpha1.SparkQueue{}
	queue.Name = "team-a"
	if err := r.o.Client.Delete(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	clock.Step(restTime)
	if err := r.rest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := r.restless(); len(left) != 0 {
		t.Errorf("it is tried again: %v", left)
	}
}
