// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/catalog"
	"github.com/sparkgate/sparkgate/queueing/embedded"
	"github.com/sparkgate/sparkgate/queueing/embedded/decisionlog"
)

const (
	// batch is how many grants may be in flight: every write of a ledger carries all of them, and the API server
	// validates each (about 400 bytes, half a millisecond). Once it is full, further grants wait until half of it is
	// free, so that a write mostly carries new grants.
	batch = 32
	// overflowBatch is how many more are granted after each overflowInterval while too many are in flight.
	// Applications that never confirm slow the others down but do not stop them.
	overflowBatch    = 10
	overflowInterval = 500 * time.Millisecond
	// reaskTimeout bounds how long the first cycle waits for the asks that were pending before a restart.
	reaskTimeout = 10 * time.Second
	// restDelay is how long a ledger is left as it is once nothing is in flight; then it is written once more,
	// without entries.
	restDelay = 5 * time.Second
	// retryDelay is the pause after a ledger could not be written.
	retryDelay = time.Second
)

// Options of a Runner.
type Options struct {
	// Client reads queues from the cache and writes their status.
	Client client.Client
	// Live reads from the API server.
	Live client.Reader
	// Holder names this process in the ledgers; unique for each start.
	Holder string
	// Wake is called with every application whose verdict may have changed. It must not block.
	Wake func(queueing.Key)
	// Clock for pauses.
	Clock clock.Clock
	Log   logr.Logger
	// Fenced is called when another process has taken a ledger over, before Start returns the error; nil does
	// nothing. An orderly shutdown after that could release a lease that already belongs to the other process.
	Fenced func(error)
	// Meter gets measurements; nil drops them.
	Meter Meter
	// DecisionLog records the calls of the engine; the zero value records nothing.
	DecisionLog decisionlog.Options
}

// Gate is the gate Embedded. Create it with New, add it to the manager, call Acquire and Open once this process leads.
type Gate struct {
	o              Options
	cycleRequested chan struct{}
	opened         chan struct{}
	restRequested  chan struct{}
	observer       func()

	mu     sync.Mutex
	engine *decisionlog.Recorder
	// asks are the asks of this process, with the time since when they wait.
	asks map[queueing.Key]attemptStart
	// keysByName are the keys of asks and awaited by name.
	keysByName map[queueing.Key]map[queueing.Key]bool
	// grants are the asks that hold quota.
	grants map[queueing.Key]attemptStart
	// inFlight are grants that are decided but not known to be in their application's status.
	inFlight map[queueing.Key]*inFlightGrant
	// orphans are grants of deleted applications whose pods are still active.
	orphans map[queueing.Key]*orphan
	// ledgers by root queue; newRoots is set if there may be roots without one.
	ledgers  map[string]*ledger
	newRoots bool
	// awaited are applications that were pending before a restart and have not asked again.
	awaited map[queueing.Key]bool
	// batchFull is set while the batch is full and has to drain; overdue, if that has taken long.
	batchFull, overdue bool
}

type attemptStart struct {
	run, attempt int64
	queuedAt     time.Time
	// waitsSince is from when on the wait is measured.
	waitsSince time.Time
}

// inFlightGrant is a grant that is not yet known to be in its application's status.
type inFlightGrant struct {
	root     string
	grant    queueing.Grant
	recorded bool // stands in the ledger
	// before is the grant that has grown; nil for a new one.
	before *queueing.Grant
	// decidedHere: decided by this process, after the application had waited that long.
	decidedHere bool
	waited      time.Duration
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
	if o.Meter == nil {
		o.Meter = noMeter{}
	}
	if o.Fenced == nil {
		o.Fenced = func(error) {}
	}
	return &Gate{
		o:              o,
		cycleRequested: make(chan struct{}, 1),
		opened:         make(chan struct{}),
		restRequested:  make(chan struct{}, 1),
		observer:       func() {},
		engine:         decisionlog.New(o.DecisionLog),
		asks:           map[queueing.Key]attemptStart{},
		keysByName:     map[queueing.Key]map[queueing.Key]bool{},
		grants:         map[queueing.Key]attemptStart{},
		inFlight:       map[queueing.Key]*inFlightGrant{},
		orphans:        map[queueing.Key]*orphan{},
		ledgers:        map[string]*ledger{},
		awaited:        map[queueing.Key]bool{},
	}
}

// Observe sets the function that is called after every cycle and every release, when the state of queues may have
// changed. Call it before Start. The function must not block.
func (g *Gate) Observe(f func()) { g.observer = f }

// Capabilities implements queueing.Gate.
func (*Gate) Capabilities() queueing.Capabilities { return catalog.Of(embedded.GateName) }

// Sync implements queueing.Gate. An ask of the same run and attempt keeps the place in line that it had first.
func (g *Gate) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	since := g.waitStart(&ask)
	delete(g.awaited, ask.Key)
	if s, known := g.asks[ask.Key]; known && s.run == ask.Run && s.attempt == ask.Attempt {
		ask.QueuedAt = s.queuedAt
	} else if why := ask.Broken(); why != "" {
		g.o.Meter.Broken()
		g.o.Log.Error(nil, "Refused a request with a negative amount", "ask", ask.String(), "number", why)
	}
	if given, holds := g.grants[ask.Key]; holds && (given.run != ask.Run || given.attempt != ask.Attempt) {
		return queueing.Verdict{State: queueing.Evicting}, nil
	}
	g.rememberAsk(ask.Key, attemptStart{run: ask.Run, attempt: ask.Attempt, queuedAt: ask.QueuedAt, waitsSince: since})
	g.engine.Submit(ask)
	if g.engine.Dirty() {
		g.requestCycle()
	}
	verdict := g.engine.Verdict(ask.Key)
	if f := g.inFlight[ask.Key]; f != nil && !f.recorded && verdict.State == queueing.Granted {
		return queueing.Verdict{State: queueing.Undecided}, nil
	}
	return verdict, nil
}

// confirmed drops an in-flight grant that is in its application's status. The caller holds the lock.
func (g *Gate) confirmed(key queueing.Key, f *inFlightGrant) {
	g.reportGranted(f)
	g.dropInFlight(key)
}

// dropInFlight drops an in-flight grant, if there is one, and requests a cycle once enough are gone. The caller holds
// the lock.
func (g *Gate) dropInFlight(key queueing.Key) {
	delete(g.inFlight, key)
	g.requestRest()
	if g.batchFull && len(g.inFlight) <= batch/2 {
		g.requestCycle()
	}
}

// Release implements queueing.Gate.
func (g *Gate) Release(_ context.Context, key queueing.Key, _ queueing.Release) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.awaited, key)
	delete(g.asks, key)
	delete(g.grants, key)
	delete(g.orphans, key)
	g.dropInFlight(key)
	if keys := g.keysByName[nameOf(key)]; keys != nil {
		if delete(keys, key); len(keys) == 0 {
			delete(g.keysByName, nameOf(key))
		}
	}
	g.engine.Release(key)
	if g.engine.Dirty() {
		g.requestCycle()
	}
	g.observer()
	return nil
}

// KeysFor implements queueing.KeyLister.
func (g *Gate) KeysFor(kind queueing.Kind, namespace, name string) []queueing.Key {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Keys(g.keysByName[queueing.Key{Kind: kind, Namespace: namespace, Name: name}]))
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
	if g.engine.Dirty() {
		g.requestCycle()
	}
}

// requestCycle requests a cycle. Further calls before it begins are merged with it.
func (g *Gate) requestCycle() {
	select {
	case g.cycleRequested <- struct{}{}:
	default:
	}
}

// Start runs cycles until ctx ends. It implements manager.Runnable. It returns an error if another process has taken
// a ledger over: this process must end then.
func (g *Gate) Start(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-g.opened:
	}
	g.waitForReasks(ctx)
	var rested <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-g.cycleRequested:
			err = g.cycle(ctx)
		case <-g.restRequested:
			if rested == nil {
				rested = g.o.Clock.After(restDelay)
			}
		case <-rested:
			rested = nil
			err = g.emptyLedgers(ctx)
		}
		if err != nil {
			g.o.Fenced(err)
			return err
		}
	}
}

// NeedLeaderElection reports true: only the leader decides.
func (g *Gate) NeedLeaderElection() bool { return true }

// waitForReasks waits until all applications that were pending before a restart have asked again: an earlier decision
// could let a younger one pass an older one.
func (g *Gate) waitForReasks(ctx context.Context) {
	deadline := g.o.Clock.After(reaskTimeout)
	for {
		g.mu.Lock()
		missing := len(g.awaited)
		g.mu.Unlock()
		if missing == 0 {
			g.requestCycle()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-deadline:
			g.o.Log.Info("Admitting without some applications that were pending before the restart", "missing", missing)
			g.requestCycle()
			return
		case <-g.o.Clock.After(5 * time.Millisecond):
		}
	}
}

// cycle decides, records, and wakes the applications, until nothing more can be decided now.
func (g *Gate) cycle(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		g.acquireNew(ctx)
		if err := g.recordOrphans(ctx); err != nil {
			return err
		}
		g.mu.Lock()
		room := g.grantsAllowed(ctx)
		if room == 0 {
			g.mu.Unlock()
			return nil
		}
		began := g.o.Clock.Now()
		g.engine.Advance(began)
		decisions := g.engine.Cycle(room)
		now := g.o.Clock.Now()
		g.o.Meter.Cycled(now.Sub(began))
		for i := range decisions {
			g.markInFlight(&decisions[i], now)
		}
		changed := g.engine.Changed()
		g.mu.Unlock()

		more = len(decisions) == room
		if err := g.record(ctx, decisions); err != nil {
			return err
		}
		for _, key := range changed {
			g.wake(key)
		}
		g.observer()
	}
	return nil
}

// markInFlight notes a decision that is not in its application's status yet. The caller holds the lock.
func (g *Gate) markInFlight(d *embedded.Decision, now time.Time) {
	if d.Grown > 0 {
		g.inFlight[d.Key] = g.inFlightGrowth(d)
		return
	}
	g.inFlight[d.Key] = &inFlightGrant{root: d.Root, grant: d.Grant, decidedHere: true, waited: now.Sub(g.asks[d.Key].waitsSince)}
	g.grants[d.Key] = attemptStart{run: d.Grant.Run, attempt: d.Grant.Attempt}
}

// wakeAfter asks for a cycle after a pause.
func (g *Gate) wakeAfter(ctx context.Context, pause time.Duration) {
	go func() {
		select {
		case <-ctx.Done():
		case <-g.o.Clock.After(pause):
			g.requestCycle()
		}
	}()
}

func (g *Gate) rememberAsk(key queueing.Key, s attemptStart) {
	g.asks[key] = s
	g.rememberKey(key)
}

// rememberKey notes that the application may ask for something or hold something.
func (g *Gate) rememberKey(key queueing.Key) {
	if g.keysByName[nameOf(key)] == nil {
		g.keysByName[nameOf(key)] = map[queueing.Key]bool{}
	}
	g.keysByName[nameOf(key)][key] = true
}

func (g *Gate) wake(key queueing.Key) { g.o.Wake(key) }

// nameOf returns the key without its uid.
func nameOf(key queueing.Key) queueing.Key {
	key.UID = ""
	return key
}
