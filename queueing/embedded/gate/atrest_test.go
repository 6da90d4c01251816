// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// stored is a ledger with its entries.
type stored struct {
	v1alpha1.LedgerEntries
	Seq int64
}

// ledgerOfTeam returns the stored ledger.
func ledgerOfTeam(t *testing.T, r *Gate) stored {
	t.Helper()
	queue := &v1alpha1.SparkQueue{}
	if err := r.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue); err != nil {
		t.Fatal(err)
	}
	entries, err := queue.Status.Ledger.Decode()
	if err != nil {
		t.Fatal(err)
	}
	return stored{entries, queue.Status.Ledger.Seq}
}

// A ledger at rest is empty: grants that are no longer in flight are removed within a short time, with one write,
// whatever has become of them.
func TestLedgerAtRest(t *testing.T) {
	t.Parallel()
	const granted, emptied = 2, 3 // seq; the first write took the ledger over
	tests := map[string]struct {
		becomes func(*testing.T, *Gate)
		after   time.Duration
		seq     int64
		entries int
	}{
		"confirmed": {func(t *testing.T, r *Gate) { r.Persisted(t.Context(), pi, queueing.Grant{Run: 1, Attempt: 2}) }, restDelay, emptied, 0},
		"released": {func(t *testing.T, r *Gate) {
			if err := r.Release(t.Context(), pi, queueing.Release{}); err != nil {
				t.Fatal(err)
			}
		}, restDelay, emptied, 0},
		"confirmed a moment ago": {func(t *testing.T, r *Gate) { r.Persisted(t.Context(), pi, queueing.Grant{Run: 1, Attempt: 2}) }, restDelay / 2, granted, 1},
		"still in flight":        {func(*testing.T, *Gate) {}, time.Hour, granted, 1},
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
			if err := r.loop.cycles.run(t.Context()); err != nil {
				t.Fatal(err)
			}
			tc.becomes(t, r)
			clock.Step(tc.after)
			for range 3 { // nothing is written twice
				if err := r.ledgers.empty(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if got := ledgerOfTeam(t, r); got.Seq != tc.seq || len(got.InFlight) != tc.entries {
				t.Errorf("write %d of the ledger has %d entries, want write %d with %d", got.Seq, len(got.InFlight), tc.seq, tc.entries)
			}
		})
	}
}

// Entries of deleted applications that another process has left are also removed, without a grant in between.
func TestLedgerAtRestAfterRestart(t *testing.T) {
	t.Parallel()
	r, _, clock := measured(t, inLedger(piSince(noon)))
	acquired, err := r.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Open(acquired, nil, nil, func(queueing.Key) bool { return false })
	select {
	case <-r.loop.signals.rest:
	default:
		t.Error("nobody looks at the ledger")
	}
	clock.Step(restDelay)
	if err := r.ledgers.empty(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ledgerOfTeam(t, r); len(got.InFlight) != 0 {
		t.Errorf("it still has %v", got.InFlight)
	}
}

// The ledger of a deleted queue no longer matters.
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
	clock.Step(restDelay)
	if err := r.ledgers.empty(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left, _ := r.ledgers.obsolete(); len(left) != 0 {
		t.Errorf("it is tried again: %v", left)
	}
}

// orphaned returns a gate in whose ledger pi is an orphan.
func orphaned(t *testing.T) (*Gate, *clocktesting.FakeClock) {
	t.Helper()
	r, _, clock := measured(t, nil)
	acquired, err := r.Acquire(t.Context())
	must(t, err)
	r.Open(acquired, nil, nil, func(queueing.Key) bool { return true })
	if _, holds := r.Orphaned(pi); holds {
		t.Error("it is said to hold something")
	}
	_, err = r.Sync(t.Context(), piSince(noon))
	must(t, err)
	must(t, r.loop.cycles.run(t.Context()))
	for range 2 {
		if grant, holds := r.Orphaned(pi); !holds || grant.Queue != "team-a" {
			t.Fatalf("it holds %+v", grant)
		}
	}
	if x, _ := r.View().Explain(pi); !x.Holds.Terminating {
		t.Error("its quota does not count as being released")
	}
	must(t, r.loop.cycles.run(t.Context()))
	return r, clock
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A grant of a deleted application stays in the ledger as long as it is not released, and is written once.
func TestOrphans(t *testing.T) {
	t.Parallel()
	r, clock := orphaned(t)
	got := ledgerOfTeam(t, r)
	if len(got.InFlight) != 0 || len(got.Orphans) != 1 || got.Orphans[0].UID != pi.UID {
		t.Fatalf("the ledger has %+v", got)
	}
	clock.Step(restDelay)
	must(t, r.ledgers.empty(t.Context()))
	if ledgerOfTeam(t, r).Seq != got.Seq {
		t.Error("it is written without need")
	}
}

// The next process knows orphans by their UID, and removes them from the ledger when they are released.
func TestOrphansAfterRestart(t *testing.T) {
	t.Parallel()
	r, clock := orphaned(t)
	next := New(*r.o)
	acquired, err := next.Acquire(t.Context())
	must(t, err)
	if _, known := acquired.Recorded(queueing.Key{Namespace: pi.Namespace, Name: pi.Name, UID: "another"}); known {
		t.Error("another of the same name is known, too")
	}
	grant, known := acquired.Recorded(pi)
	if !known {
		t.Fatal("the next process does not know of it")
	}
	next.Open(acquired, []Holding{{Key: pi, Grant: grant, Orphan: true}}, nil, func(queueing.Key) bool { return false })
	must(t, next.Release(t.Context(), pi, queueing.Release{}))
	clock.Step(restDelay)
	must(t, next.ledgers.empty(t.Context()))
	if left := ledgerOfTeam(t, next).Orphans; len(left) != 0 {
		t.Errorf("the ledger still has %v", left)
	}
}
