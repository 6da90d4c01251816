// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// recordedCounts has the counts of a queue, and records their writes.
type recordedCounts struct {
	pending int32
	written int
}

func (c *recordedCounts) counts(context.Context, string) Counts {
	if c.pending == 0 {
		return Counts{}
	}
	return Counts{Fields: map[string]any{"pending": c.pending}, Written: func() { c.written, c.pending = c.written+1, 0 }}
}

// countsGate returns an open gate whose queue has counts, and a function that makes writes of its status fail or
// succeed.
func countsGate(t *testing.T) (g *Gate, c *recordedCounts, fail func(bool)) {
	t.Helper()
	g, _, _ = measured(t, nil)
	c = &recordedCounts{}
	broken := false
	g.o.Client = interceptor.NewClient(g.o.Client.(client.WithWatch), interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, to client.Client, sub string, obj client.Object, patch client.Patch, o ...client.SubResourcePatchOption) error {
			if broken {
				return errors.New("no answer")
			}
			return to.SubResource(sub).Patch(ctx, obj, patch, o...)
		},
	})
	g.WriteWithLedger(c.counts)
	acquired, err := g.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.Open(acquired, nil, nil, func(queueing.Key) bool { return true })
	return g, c, func(b bool) { broken = b }
}

func pendingOfTeam(t *testing.T, g *Gate) int32 {
	t.Helper()
	queue := &v1alpha1.SparkQueue{}
	if err := g.o.Live.Get(t.Context(), types.NamespacedName{Name: "team-a"}, queue); err != nil {
		t.Fatal(err)
	}
	return queue.Status.Pending
}

// TestNewsGoWithGrants: changed counts of a queue are part of the write that records a grant.
func TestNewsGoWithGrants(t *testing.T) {
	t.Parallel()
	g, c, _ := countsGate(t)
	if _, err := g.Sync(t.Context(), piSince(noon)); err != nil {
		t.Fatal(err)
	}
	before := ledgerOfTeam(t, g).Seq
	c.pending = 7
	if err := g.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ledgerOfTeam(t, g); got.Seq != before+1 || len(got.InFlight) != 1 {
		t.Errorf("write %d with %d entries, want write %d with 1", got.Seq, len(got.InFlight), before+1)
	}
	if got := pendingOfTeam(t, g); got != 7 || c.written != 1 {
		t.Errorf("%d pending, reported %d times as written; want 7 and once", got, c.written)
	}
}

// TestCountsAlone: counts without a grant are written together with a ledger without obsolete entries, so that removing
// these takes no further write. They are not written if they have been written in the meantime, nor for a queue without
// a ledger.
func TestCountsAlone(t *testing.T) {
	t.Parallel()
	g, c, _ := countsGate(t)
	if _, err := g.Sync(t.Context(), piSince(noon)); err != nil {
		t.Fatal(err)
	}
	if err := g.loop.cycles.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	g.Persisted(t.Context(), pi, queueing.Grant{Run: 1, Attempt: 2})
	before := ledgerOfTeam(t, g).Seq
	c.pending = 3
	if !g.WriteCounts("team-a") || g.WriteCounts("team-b") {
		t.Error("the root queue has a ledger, and the unknown one has none")
	}
	for range 2 {
		if err := g.loop.writeCounts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	g.WriteCounts("team-a") // nothing is new
	if err := g.loop.writeCounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := ledgerOfTeam(t, g); got.Seq != before+1 || len(got.InFlight) != 0 {
		t.Errorf("write %d with %d entries, want write %d with none", got.Seq, len(got.InFlight), before+1)
	}
	if got := pendingOfTeam(t, g); got != 3 {
		t.Errorf("%d pending, want 3", got)
	}
	if roots, lately := g.ledgers.obsolete(); len(roots) > 0 || lately {
		t.Errorf("ledgers %v are to be emptied (lately: %t), want none", roots, lately)
	}
}

// TestCountsThatAreRefusedAlone: refused counts are written again after a pause. The queue is not changed in between,
// because each change would write them at once.
func TestCountsThatAreRefusedAlone(t *testing.T) {
	t.Parallel()
	writes := 0
	g, clock := openGate(t, func(string) error {
		writes++
		return apierrors.NewInvalid(v1alpha1.GroupVersion.WithKind("SparkQueue").GroupKind(), "team-a", nil)
	})
	g.WriteWithLedger((&recordedCounts{pending: 7}).counts)
	g.WriteCounts("team-a")
	if err := g.loop.writeCounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if writes != 1 || !clock.HasWaiters() {
		t.Errorf("%d writes, tried again after a pause: %t", writes, clock.HasWaiters())
	}
}

// TestNewsThatCannotBeWritten: counts that cannot be written are written again after a pause.
func TestNewsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	g, c, fail := countsGate(t)
	asked := make(chan struct{}, 1)
	g.Observe(func() { asked <- struct{}{} })
	c.pending = 3
	g.WriteCounts("team-a")
	fail(true)
	if err := g.loop.writeCounts(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.written != 0 {
		t.Error("counts that failed to be written are reported as written")
	}
	clock := g.o.Clock.(*clocktesting.FakeClock)
	if !clock.HasWaiters() {
		t.Fatal("nothing waits for the pause")
	}
	clock.Step(retryDelay)
	<-asked
}
