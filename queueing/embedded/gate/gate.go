// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

// Gate is the gate Embedded. Create it with New, add it to the manager, and call Acquire and Open once this process
// leads. It is safe for concurrent use.
type Gate struct {
	o          *Options
	admissions *admissions
	ledgers    *ledgers
	counts     *counts
	loop       *loop
	opened     chan struct{}
}

var (
	_ queueing.Gate           = (*Gate)(nil)
	_ queueing.KeyLister      = (*Gate)(nil)
	_ queueing.Evictor        = (*Gate)(nil)
	_ queueing.HolderObserver = (*Gate)(nil)
	_ queueing.Resizer        = (*Gate)(nil)
	_ queueing.OrphanTracker  = (*Gate)(nil)
	_ queueing.Decliner       = (*Gate)(nil)
	_ queueing.Charger        = (*Gate)(nil)
	_ queueing.QueueLister    = (*Gate)(nil)
)

// New returns a gate that answers Undecided until it is opened.
func New(o Options) *Gate {
	o.setDefaults()
	s := newSignals()
	a := &admissions{
		o: &o, engine: decisionlog.New(o.DecisionLog), signals: s, asks: newAsks(), inFlight: inFlight{grants: entries{}}, orphans: entries{},
	}
	c := &counts{requested: s.counts, queues: map[string]bool{}, of: func(context.Context, string) Counts { return Counts{} }}
	w := &ledgers{o: &o, admissions: a, counts: c, known: map[string]*ledger{}}
	t := &timer{clock: o.Clock, cycle: s.cycle}
	l := &loop{o: &o, admissions: a, signals: s, ledgers: w, counts: c, cycles: &cycles{o: &o, admissions: a, ledgers: w, timer: t}, timer: t}
	return &Gate{o: &o, admissions: a, ledgers: w, counts: c, loop: l, opened: make(chan struct{})}
}

// Observe sets the function to call after every cycle and every release, when the state of queues may have changed.
// Call Observe before Start. The function must not block.
func (g *Gate) Observe(f func()) { g.o.changed = f }

// WriteWithLedger sets the function that returns the counts of a root queue. Every write of the ledger includes them,
// so that they need no write of their own and never conflict with it. Call WriteWithLedger before Start. The function
// is called without holding a lock.
func (g *Gate) WriteWithLedger(of func(ctx context.Context, root string) Counts) { g.counts.of = of }

// WriteCounts requests that the counts of a queue are written soon, with its ledger. For a queue that is not a root,
// and so has no ledger, it does nothing and returns false.
func (g *Gate) WriteCounts(queue string) bool {
	g.admissions.mu.Lock()
	isRoot := g.admissions.engine.Queues().Root(queue) == queue
	g.admissions.mu.Unlock()
	if isRoot {
		g.counts.request(queue)
	}
	return isRoot
}

// View returns what others may see of the queues.
func (g *Gate) View() *View { return &View{g.admissions, g.opened} }

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
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	start, known := a.asks.startOf(&ask, g.o.Clock.Now())
	a.asks.arrived(ask.Key)
	if known {
		ask.QueuedAt = start.queuedAt
	} else if why := ask.Broken(); why != "" {
		g.o.Meter.Broken()
		g.o.Log.Error(nil, "Refused a request with a negative amount", "ask", ask.String(), "number", why)
	}
	if a.holdsOther(&ask) {
		return queueing.Verdict{State: queueing.Evicting}, nil
	}
	a.asks.put(ask.Key, start)
	a.engine.Submit(ask)
	a.decideAgain()
	verdict := a.engine.Verdict(ask.Key)
	if f := a.inFlight.grants[ask.Key]; f != nil && !f.recorded && verdict.State == queueing.Granted {
		return queueing.Verdict{State: queueing.Undecided}, nil
	}
	return verdict, nil
}

// Charge charges a grant that is already in use, even if it exceeds quota. It does nothing if the key already holds a
// grant.
func (g *Gate) Charge(key queueing.Key, grant queueing.Grant) {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, holds := a.engine.Held(key); holds {
		return
	}
	a.asks.arrived(key)
	a.restore(key, grant)
	a.decideAgain()
	g.o.changed()
}

// Persisted implements queueing.Gate.
func (g *Gate) Persisted(_ context.Context, key queueing.Key, grant queueing.Grant) {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	if f := a.inFlight.grants[key]; f != nil && f.before == nil && f.isOf(grant.Run, grant.Attempt) {
		a.engine.Confirm(key, grant.Run, grant.Attempt)
		a.confirm(key, f)
	}
	if grant.MayResize() {
		a.settle(key, grant)
	}
}

// Release implements queueing.Gate.
func (g *Gate) Release(_ context.Context, key queueing.Key, _ queueing.Release) error {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	a.remove(key)
	a.decideAgain()
	g.o.changed()
	return nil
}

// KeysFor implements queueing.KeyLister.
func (g *Gate) KeysFor(kind, namespace, name string) []queueing.Key {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.asks.named(queueing.Key{Kind: kind, Namespace: namespace, Name: name})
}

// Eviction implements queueing.Evictor.
func (g *Gate) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.engine.Eviction(key, run, attempt)
}

// UpdateHolder implements queueing.HolderObserver.
func (g *Gate) UpdateHolder(key queueing.Key, run, attempt int64, s queueing.HolderState) {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	a.engine.SetHolderState(key, run, attempt, s)
	a.decideAgain()
}

// Orphaned implements queueing.OrphanTracker. The grant stays in the ledger until it is released, because after a
// restart nothing else records what the pods may be charged to. Until then its quota counts as being released.
func (g *Gate) Orphaned(key queueing.Key) (queueing.Grant, bool) {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	if o := a.orphans[key]; o != nil {
		return o.grant, true
	}
	grant, holds := a.engine.Held(key)
	if !holds {
		return queueing.Grant{}, false
	}
	a.engine.SetHolderState(key, grant.Run, grant.Attempt, queueing.HolderState{Priority: grant.Priority, Terminating: true})
	a.addOrphan(key, grant)
	a.decideAgain()
	return grant, true
}

// QueuesFor returns, in order, the queues that asks from a namespace with these labels may name.
func (g *Gate) QueuesFor(labels map[string]string, needsLimits bool) []string {
	g.admissions.mu.Lock()
	defer g.admissions.mu.Unlock()
	return g.admissions.engine.Queues().For(labels, needsLimits)
}

// Unlimited reports whether a queue is configured and its whole tree has no quota.
func (g *Gate) Unlimited(queue string) bool {
	g.admissions.mu.Lock()
	defer g.admissions.mu.Unlock()
	return g.admissions.engine.Queues().Unlimited(queue)
}
