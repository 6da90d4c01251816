// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Gate is the gate Embedded. Create it with New, add it to the manager, and call Acquire and Open once this process
// leads. It is safe for concurrent use.
type Gate struct {
	*admissions
	o       *Options
	ledgers *ledgers
	loop    *loop
	opened  chan struct{}
}

var (
	_ queueing.Gate           = (*Gate)(nil)
	_ queueing.KeyLister      = (*Gate)(nil)
	_ queueing.Evictor        = (*Gate)(nil)
	_ queueing.HolderObserver = (*Gate)(nil)
	_ queueing.Resizer        = (*Gate)(nil)
	_ queueing.OrphanTracker  = (*Gate)(nil)

	_ queueing.Decliner = (*Gate)(nil)
	_ queueing.Charger  = (*Gate)(nil)
)

// New returns a gate that answers Undecided until it is opened.
func New(o Options) *Gate {
	o.setDefaults()
	a := newAdmissions(o.DecisionLog, o.Meter)
	g := &Gate{admissions: a, o: &o, ledgers: &ledgers{admissions: a, o: &o, known: map[string]*ledger{}}, opened: make(chan struct{})}
	g.loop = &loop{admissions: a, o: &o, ledgers: g.ledgers}
	return g
}

// Observe sets the function to call after every cycle and every release, when the state of queues may have changed.
// Call Observe before Start. The function must not block.
func (g *Gate) Observe(f func()) { g.observer = f }

// Counts are the counts of a root queue, to be written into its status together with its ledger.
type Counts struct {
	// Fields are the fields of the status, as a merge patch. If it is empty there is nothing to write.
	Fields map[string]any
	// Written is called after the fields were written.
	Written func()
}

// WriteWithLedger sets the function that returns the counts of a root queue. Every write of the ledger includes them,
// so that they need no write of their own and never conflict with it. Call WriteWithLedger before Start. The function
// is called without holding a lock.
func (g *Gate) WriteWithLedger(counts func(ctx context.Context, root string) Counts) {
	g.o.counts = counts
}

// WriteCounts requests that the counts of a queue are written soon, with its ledger. For a queue that is not a root,
// and so has no ledger, it does nothing and returns false.
func (g *Gate) WriteCounts(queue string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.engine.Root(queue) != queue {
		return false
	}
	g.unwritten[queue] = true
	g.countsRequested.request()
	return true
}

// Capabilities implements queueing.Gate.
func (*Gate) Capabilities() queueing.Capabilities { return catalog.Of(embedded.GateName) }

// Start runs cycles until ctx is done. It implements manager.Runnable. It returns an error if another process has taken
// over a ledger; this process must then exit.
func (g *Gate) Start(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-g.opened:
	}
	err := g.loop.run(ctx)
	if err != nil {
		g.o.Fenced(err)
	}
	return err
}

// NeedLeaderElection returns true, because only the leader decides.
func (g *Gate) NeedLeaderElection() bool { return true }

// Sync implements queueing.Gate. An ask of the same run and attempt keeps its place in the queue, or gets a later one.
func (g *Gate) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	start, known := g.asks.startOf(&ask, g.o.Clock.Now())
	g.asks.arrived(ask.Key)
	if known {
		ask.QueuedAt = start.queuedAt
	} else if why := ask.Broken(); why != "" {
		g.o.Meter.Broken()
		g.o.Log.Error(nil, "Refused a request with a negative amount", "ask", ask.String(), "number", why)
	}
	if g.holdsOther(&ask) {
		return queueing.Verdict{State: queueing.Evicting}, nil
	}
	g.asks.put(ask.Key, start)
	g.engine.Submit(ask)
	g.decideAgain()
	verdict := g.engine.Verdict(ask.Key)
	if f := g.inFlight.grants[ask.Key]; f != nil && !f.recorded && verdict.State == queueing.Granted {
		return queueing.Verdict{State: queueing.Undecided}, nil
	}
	return verdict, nil
}

// Charge charges a grant that is already in use, even if it exceeds quota. It does nothing if the key already holds a
// grant.
func (g *Gate) Charge(key queueing.Key, grant queueing.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, holds := g.grants[key]; holds {
		return
	}
	g.asks.arrived(key)
	g.restore(key, grant)
	g.decideAgain()
	g.observer()
}

// Persisted implements queueing.Gate.
func (g *Gate) Persisted(_ context.Context, key queueing.Key, grant queueing.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.inFlight.grants[key]; f != nil && f.before == nil && f.isOf(grant.Run, grant.Attempt) {
		g.engine.Confirm(key, grant.Run, grant.Attempt)
		g.confirm(key, f)
	}
	if grant.MayResize() {
		g.settle(key, grant)
	}
}

// Release implements queueing.Gate.
func (g *Gate) Release(_ context.Context, key queueing.Key, _ queueing.Release) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.remove(key)
	g.decideAgain()
	g.observer()
	return nil
}

// KeysFor implements queueing.KeyLister.
func (g *Gate) KeysFor(kind, namespace, name string) []queueing.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asks.named(queueing.Key{Kind: kind, Namespace: namespace, Name: name})
}

// Eviction implements queueing.Evictor.
func (g *Gate) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.Eviction(key, run, attempt)
}

// UpdateHolder implements queueing.HolderObserver.
func (g *Gate) UpdateHolder(key queueing.Key, run, attempt int64, s queueing.HolderState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.engine.SetHolderState(key, run, attempt, s)
	g.decideAgain()
}

// Orphaned implements queueing.OrphanTracker. The grant stays in the ledger until it is released, because after a
// restart nothing else records what the pods may be charged to. Until then its quota counts as being released.
func (g *Gate) Orphaned(key queueing.Key) (queueing.Grant, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if o := g.orphans[key]; o != nil {
		return o.grant, true
	}
	grant, holds := g.engine.Held(key)
	if !holds {
		return queueing.Grant{}, false
	}
	g.engine.SetHolderState(key, grant.Run, grant.Attempt, queueing.HolderState{Priority: grant.Priority, Terminating: true})
	g.addOrphan(key, grant)
	g.decideAgain()
	return grant, true
}
