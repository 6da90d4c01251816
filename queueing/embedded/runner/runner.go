// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

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

// Runner is the gate Embedded. Create it with New, add it to the manager, call Acquire and Open once this process leads.
type Runner struct {
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
	_ queueing.Gate           = (*Runner)(nil)
	_ queueing.KeyLister      = (*Runner)(nil)
	_ queueing.Evictor        = (*Runner)(nil)
	_ queueing.HolderObserver = (*Runner)(nil)
	_ queueing.Resizer        = (*Runner)(nil)
	_ queueing.OrphanTracker  = (*Runner)(nil)

	_ queueing.Decliner = (*Runner)(nil)
	_ queueing.Charger  = (*Runner)(nil)
)

// New returns a runner that answers Undecided until it is opened.
func New(o Options) *Runner {
	if o.Meter == nil {
		o.Meter = noMeter{}
	}
	if o.Fenced == nil {
		o.Fenced = func(error) {}
	}
	return &Runner{
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
func (r *Runner) Observe(f func()) { r.observer = f }

// Capabilities implements queueing.Gate.
func (*Runner) Capabilities() queueing.Capabilities { return catalog.Of(embedded.GateName) }

// Sync implements queueing.Gate. An ask of the same run and attempt keeps the place in line that it had first.
func (r *Runner) Sync(_ context.Context, ask queueing.Ask) (queueing.Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	since := r.waitStart(&ask)
	delete(r.awaited, ask.Key)
	if s, known := r.asks[ask.Key]; known && s.run == ask.Run && s.attempt == ask.Attempt {
		ask.QueuedAt = s.queuedAt
	} else if why := ask.Broken(); why != "" {
		r.o.Meter.Broken()
		r.o.Log.Error(nil, "Refused a request with a negative amount", "ask", ask.String(), "number", why)
	}
	if g, holds := r.grants[ask.Key]; holds && (g.run != ask.Run || g.attempt != ask.Attempt) {
		return queueing.Verdict{State: queueing.Evicting}, nil
	}
	r.rememberAsk(ask.Key, attemptStart{run: ask.Run, attempt: ask.Attempt, queuedAt: ask.QueuedAt, waitsSince: since})
	r.engine.Submit(ask)
	if r.engine.Dirty() {
		r.requestCycle()
	}
	verdict := r.engine.Verdict(ask.Key)
	if f := r.inFlight[ask.Key]; f != nil && !f.recorded && verdict.State == queueing.Granted {
		return queueing.Verdict{State: queueing.Undecided}, nil
	}
	return verdict, nil
}

// confirmed drops an in-flight grant that is in its application's status. The caller holds the lock.
func (r *Runner) confirmed(key queueing.Key, f *inFlightGrant) {
	r.reportGranted(f)
	r.dropInFlight(key)
}

// dropInFlight drops an in-flight grant, if there is one, and requests a cycle once enough are gone. The caller holds
// the lock.
func (r *Runner) dropInFlight(key queueing.Key) {
	delete(r.inFlight, key)
	r.requestRest()
	if r.batchFull && len(r.inFlight) <= batch/2 {
		r.requestCycle()
	}
}

// Release implements queueing.Gate.
func (r *Runner) Release(_ context.Context, key queueing.Key, _ queueing.Release) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.awaited, key)
	delete(r.asks, key)
	delete(r.grants, key)
	delete(r.orphans, key)
	r.dropInFlight(key)
	if keys := r.keysByName[nameOf(key)]; keys != nil {
		if delete(keys, key); len(keys) == 0 {
			delete(r.keysByName, nameOf(key))
		}
	}
	r.engine.Release(key)
	if r.engine.Dirty() {
		r.requestCycle()
	}
	r.observer()
	return nil
}

// KeysFor implements queueing.KeyLister.
func (r *Runner) KeysFor(kind queueing.Kind, namespace, name string) []queueing.Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.keysByName[queueing.Key{Kind: kind, Namespace: namespace, Name: name}]))
}

// Eviction implements queueing.Evictor.
func (r *Runner) Eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.engine.Eviction(key, run, attempt)
}

// UpdateHolder implements queueing.HolderObserver.
func (r *Runner) UpdateHolder(key queueing.Key, run, attempt int64, s queueing.HolderState) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.engine.SetHolderState(key, run, attempt, s)
	if r.engine.Dirty() {
		r.requestCycle()
	}
}

// requestCycle requests a cycle. Further calls before it begins are merged with it.
func (r *Runner) requestCycle() {
	select {
	case r.cycleRequested <- struct{}{}:
	default:
	}
}

// Start runs cycles until ctx ends. It implements manager.Runnable. It returns an error if another process has taken
// a ledger over: this process must end then.
func (r *Runner) Start(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-r.opened:
	}
	r.waitForReasks(ctx)
	var rested <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-r.cycleRequested:
			err = r.cycle(ctx)
		case <-r.restRequested:
			if rested == nil {
				rested = r.o.Clock.After(restDelay)
			}
		case <-rested:
			rested = nil
			err = r.emptyLedgers(ctx)
		}
		if err != nil {
			r.o.Fenced(err)
			return err
		}
	}
}

// NeedLeaderElection reports true: only the leader decides.
func (r *Runner) NeedLeaderElection() bool { return true }

// waitForReasks waits until all applications that were pending before a restart have asked again: an earlier decision
// could let a younger one pass an older one.
func (r *Runner) waitForReasks(ctx context.Context) {
	deadline := r.o.Clock.After(reaskTimeout)
	for {
		r.mu.Lock()
		missing := len(r.awaited)
		r.mu.Unlock()
		if missing == 0 {
			r.requestCycle()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-deadline:
			r.o.Log.Info("Admitting without some applications that were pending before the restart", "missing", missing)
			r.requestCycle()
			return
		case <-r.o.Clock.After(5 * time.Millisecond):
		}
	}
}

// cycle decides, records, and wakes the applications, until nothing more can be decided now.
func (r *Runner) cycle(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		r.acquireNew(ctx)
		if err := r.recordOrphans(ctx); err != nil {
			return err
		}
		r.mu.Lock()
		room := r.grantsAllowed(ctx)
		if room == 0 {
			r.mu.Unlock()
			return nil
		}
		began := r.o.Clock.Now()
		r.engine.Advance(began)
		decisions := r.engine.Cycle(room)
		now := r.o.Clock.Now()
		r.o.Meter.Cycled(now.Sub(began))
		for i := range decisions {
			r.markInFlight(&decisions[i], now)
		}
		changed := r.engine.Changed()
		r.mu.Unlock()

		more = len(decisions) == room
		if err := r.record(ctx, decisions); err != nil {
			return err
		}
		for _, key := range changed {
			r.wake(key)
		}
		r.observer()
	}
	return nil
}

// markInFlight notes a decision that is not in its application's status yet. The caller holds the lock.
func (r *Runner) markInFlight(d *embedded.Decision, now time.Time) {
	if d.Grown > 0 {
		r.inFlight[d.Key] = r.inFlightGrowth(d)
		return
	}
	r.inFlight[d.Key] = &inFlightGrant{root: d.Root, grant: d.Grant, decidedHere: true, waited: now.Sub(r.asks[d.Key].waitsSince)}
	r.grants[d.Key] = attemptStart{run: d.Grant.Run, attempt: d.Grant.Attempt}
}

// wakeAfter asks for a cycle after a pause.
func (r *Runner) wakeAfter(ctx context.Context, pause time.Duration) {
	go func() {
		select {
		case <-ctx.Done():
		case <-r.o.Clock.After(pause):
			r.requestCycle()
		}
	}()
}

func (r *Runner) rememberAsk(key queueing.Key, s attemptStart) {
	r.asks[key] = s
	r.rememberKey(key)
}

// rememberKey notes that the application may ask for something or hold something.
func (r *Runner) rememberKey(key queueing.Key) {
	if r.keysByName[nameOf(key)] == nil {
		r.keysByName[nameOf(key)] = map[queueing.Key]bool{}
	}
	r.keysByName[nameOf(key)][key] = true
}

func (r *Runner) wake(key queueing.Key) { r.o.Wake(key) }

// nameOf is the key without its uid.
func nameOf(key queueing.Key) queueing.Key {
	key.UID = ""
	return key
}
