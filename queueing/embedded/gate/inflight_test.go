// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-logr/logr"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/queueing"
)

// putInFlight creates n grants in flight.
func (g *Gate) putInFlight(n int) {
	g.admissions.inFlight.grants = entries{}
	for i := range n {
		g.admissions.inFlight.grants[queueing.Key{Name: fmt.Sprint(i)}] = &entry{}
	}
}

func (g *Gate) lockedGrantsAllowed(t *testing.T) int {
	t.Helper()
	g.admissions.mu.Lock()
	defer g.admissions.mu.Unlock()
	return g.loop.cycles.grantsAllowed(t.Context())
}

// A full batch waits until half of it is confirmed, so that most grants in a write of the ledger are new. After a pause
// some are granted anyway.
func TestBatchInFlight(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	r := New(Options{Clock: clock, Log: logr.Discard(), Wake: func(queueing.Key) {}})
	for _, step := range []struct {
		flights, want int
		why           string
	}{
		{0, batch, "nothing is in flight"},
		{20, batch - 20, "the batch was never full"},
		{batch, 0, "it is full"},
		{batch - 1, 0, "not yet half of it is free"},
		{batch / 2, batch / 2, "half of it is free"},
		{batch - 1, 1, "and from there it fills up again"},
		{batch, 0, "it is full again"},
	} {
		r.putInFlight(step.flights)
		if got := r.lockedGrantsAllowed(t); got != step.want {
			t.Fatalf("with %d in flight the next batch is %d, want %d: %s", step.flights, got, step.want, step.why)
		}
	}
	clock.Step(overflowInterval)
	<-r.loop.signals.cycle
	if got := r.lockedGrantsAllowed(t); got != overflowBatch {
		t.Errorf("after the pause the next batch is %d, want %d", got, overflowBatch)
	}
	if got := r.lockedGrantsAllowed(t); got != 0 {
		t.Errorf("and once only, got %d", got)
	}
}

// A confirmed grant requests a cycle once half of the batch is free.
func TestConfirmAdmitsTheNextBatch(t *testing.T) {
	r := New(Options{Clock: clocktesting.NewFakeClock(time.Time{}), Log: logr.Discard()})
	r.putInFlight(batch/2 + 2)
	r.admissions.inFlight.full = true
	for i, want := range []bool{false, true} {
		key := queueing.Key{Name: fmt.Sprint(i)}
		r.Persisted(t.Context(), key, queueing.Grant{Run: 0, Attempt: 0})
		woken := len(r.loop.signals.cycle) > 0
		if woken != want {
			t.Errorf("confirmed %d: woken %t, want %t", i+1, woken, want)
		}
	}
}

// TestReleaseAdmitsTheNextBatch: a grant that is released while it is in flight frees its place in the batch at once,
// like a confirmed one.
func TestReleaseAdmitsTheNextBatch(t *testing.T) {
	r := New(Options{Clock: clocktesting.NewFakeClock(time.Time{}), Log: logr.Discard()})
	r.putInFlight(batch)
	r.admissions.inFlight.full = true
	for i := range batch {
		if err := r.Release(t.Context(), queueing.Key{Name: fmt.Sprint(i)}, queueing.Release{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.loop.signals.cycle) == 0 {
		t.Error("nothing is in flight, and nobody is granted anything before the pause is over")
	}
	if got := r.lockedGrantsAllowed(t); got != batch {
		t.Errorf("the next batch is %d, want %d", got, batch)
	}
}

// TestLeavesWhoAsksAnotherGate: the gate knows an application that waited before a restart and now asks another gate,
// so that it can be released, and nothing waits for it.
func TestLeavesWhoAsksAnotherGate(t *testing.T) {
	r := New(Options{Clock: clocktesting.NewFakeClock(time.Time{}), Log: logr.Discard()})
	key := queueing.Key{Namespace: "default", Name: "pi", UID: "1"}
	r.Open(Acquired{}, nil, []queueing.Key{key}, func(queueing.Key) bool { return true })
	if got := r.KeysFor("", "default", "pi"); len(got) != 1 || got[0] != key {
		t.Fatalf("it knows %v", got)
	}
	if err := r.Release(t.Context(), key, queueing.Release{}); err != nil {
		t.Fatal(err)
	}
	if len(r.admissions.asks.awaited) != 0 || len(r.KeysFor("", "default", "pi")) != 0 {
		t.Errorf("it still waits for %v", r.admissions.asks.awaited)
	}
}
