// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

const (
	// reaskTimeout bounds how long the first cycle waits for asks that were pending before a restart.
	reaskTimeout = 10 * time.Second
	// retryDelay is the pause after a failure to write a ledger.
	retryDelay = time.Second
)

// loop runs cycles of the engine and records their decisions in the ledgers.
type loop struct {
	*admissions
	o       *Options
	ledgers *ledgers
	// retrying is true if retryLater has requested a cycle. Guarded by the lock of admissions.
	retrying bool
}

// run runs a cycle whenever one is requested, until ctx is done. It returns an error if another process has taken over
// a ledger.
func (l *loop) run(ctx context.Context) error {
	l.waitForReasks(ctx)
	var rested <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-l.cycleRequested:
			err = l.cycle(ctx)
		case <-l.restRequested:
			if rested == nil {
				rested = l.o.Clock.After(restDelay)
			}
		case <-rested:
			rested = nil
			err = l.emptyLedgers(ctx)
		case <-l.countsRequested:
			err = l.writeCounts(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// waitForReasks waits until all askers that were pending before a restart have asked again, for reaskTimeout at most.
// Deciding earlier could let a younger asker overtake an older one.
func (l *loop) waitForReasks(ctx context.Context) {
	deadline := l.o.Clock.After(reaskTimeout)
	for {
		l.mu.Lock()
		missing := len(l.asks.awaited)
		l.mu.Unlock()
		if missing == 0 {
			l.cycleRequested.request()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-deadline:
			l.o.Log.Info("Admitting without some askers that were pending before the restart", "missing", missing)
			l.cycleRequested.request()
			return
		case <-l.o.Clock.After(5 * time.Millisecond):
		}
	}
}

// cycle decides, records the decisions, and wakes the askers, until nothing more can be decided now.
func (l *loop) cycle(ctx context.Context) error {
	for more := true; more && ctx.Err() == nil; {
		l.acquireNew(ctx)
		if err := l.recordOrphans(ctx); err != nil {
			return err
		}
		l.mu.Lock()
		allowed := l.grantsAllowed(ctx)
		if allowed == 0 {
			l.mu.Unlock()
			return nil
		}
		began := l.o.Clock.Now()
		l.engine.Advance(began)
		decided := l.engine.Cycle(allowed)
		now := l.o.Clock.Now()
		l.o.Meter.Cycled(now.Sub(began))
		decisions := l.markFitting(decided, now)
		if len(decisions) < len(decided) {
			l.waitUntilDrained(ctx)
		}
		changed := l.engine.Changed()
		l.mu.Unlock()

		recorded, err := l.record(ctx, decisions)
		if err != nil {
			return err
		}
		more = len(recorded) == allowed
		l.wake(changed, undone(decided, recorded))
		l.observer()
	}
	return nil
}

// undone returns the keys of the decisions that were reverted.
func undone(decided, recorded []embedded.Decision) map[queueing.Key]bool {
	keys := make(map[queueing.Key]bool, len(decided))
	for i := range decided {
		keys[decided[i].Key] = true
	}
	for i := range recorded {
		delete(keys, recorded[i].Key)
	}
	return keys
}

// wake wakes the askers whose verdicts have changed, except for those whose decision was reverted: they would ask
// again, and the same decision would be made immediately instead of after a pause.
func (l *loop) wake(changed []queueing.Key, undone map[queueing.Key]bool) {
	for _, key := range changed {
		if !undone[key] {
			l.o.Wake(key)
		}
	}
}

// grantsAllowed returns how many grants the next cycle may make. If that is 0, another cycle is already scheduled: when
// half of the batch is confirmed, or after a pause. The caller must hold the lock.
func (l *loop) grantsAllowed(ctx context.Context) int {
	n, filled := l.inFlight.allowed()
	if filled {
		l.waitUntilDrained(ctx)
	}
	return n
}

// waitUntilDrained schedules a cycle for when half of the batch is confirmed, or after a pause. The caller must hold
// the lock.
func (l *loop) waitUntilDrained(ctx context.Context) {
	l.inFlight.full = true
	l.cycleAfter(ctx, overflowInterval, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.inFlight.overdue = l.inFlight.full
	})
}

// record writes the decisions into the ledgers, one write per tree, and wakes the askers. It returns the recorded
// decisions. Decisions that cannot be written are reverted and made again after a pause. The error is errFenced if
// another process has taken over a ledger.
func (l *loop) record(ctx context.Context, decisions []embedded.Decision) (recorded []embedded.Decision, _ error) {
	for len(decisions) > 0 {
		n := 1
		for n < len(decisions) && decisions[n].Root == decisions[0].Root {
			n++
		}
		tree := decisions[:n]
		decisions = decisions[n:]
		err := l.ledgers.swap(ctx, tree[0].Root)
		if errors.Is(err, errFenced) {
			return recorded, err
		}
		if err != nil {
			l.o.Log.Error(err, "Failed to write a ledger; will retry", "queue", tree[0].Root)
			l.mu.Lock()
			l.revert(tree)
			l.mu.Unlock()
			l.retryLater(ctx)
			continue
		}
		l.mu.Lock()
		l.recorded(tree)
		l.mu.Unlock()
		recorded = append(recorded, tree...)
		for i := range tree {
			l.o.Wake(tree[i].Key)
		}
	}
	return recorded, nil
}

// recordOrphans writes the ledgers that lack an orphan. It returns an error if another process has taken over a ledger;
// other failures are retried.
func (l *loop) recordOrphans(ctx context.Context) error {
	l.mu.Lock()
	roots := l.orphans.unwritten()
	l.mu.Unlock()
	for root := range roots {
		switch err := l.ledgers.swap(ctx, root); {
		case errors.Is(err, errFenced):
			return err
		case err != nil && ctx.Err() == nil:
			l.o.Log.Error(err, "Failed to record orphans in a ledger; will retry", "queue", root)
			l.retryLater(ctx)
		}
	}
	return nil
}

// acquireNew takes over the ledgers of new trees, so that their grants carry an epoch. A failure is retried with the
// first grant of the tree.
func (l *loop) acquireNew(ctx context.Context) {
	l.mu.Lock()
	roots := l.takeNewRoots()
	l.mu.Unlock()
	for _, root := range roots {
		if _, err := l.ledgers.of(ctx, root); err != nil && ctx.Err() == nil {
			l.o.Log.Error(err, "Failed to take over the ledger of a new queue; will retry", "queue", root)
		}
	}
}

// emptyLedgers removes obsolete entries from ledgers at rest, and requests another round for ledgers that are not at
// rest yet.
func (l *loop) emptyLedgers(ctx context.Context) error {
	again, err := l.ledgers.empty(ctx)
	if again {
		l.restRequested.request()
	}
	return err
}

// writeCounts writes the counts of one queue with its ledger, which also removes the obsolete entries of the ledger. A
// requested cycle runs first, so that many counts do not delay grants. After a failure the observer is called again
// after a pause.
func (l *loop) writeCounts(ctx context.Context) error {
	select {
	case <-l.cycleRequested:
		if err := l.cycle(ctx); err != nil {
			return err
		}
	default:
	}
	root, counts, more := l.ledgers.takeCounts(ctx)
	if more {
		l.countsRequested.request()
	}
	if root == "" {
		return nil
	}
	switch err := l.ledgers.swapWith(ctx, root, counts); {
	case errors.Is(err, errFenced):
		return err
	case err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil:
		l.o.Log.Error(err, "Failed to write the counts of a queue; will retry", "queue", root)
		l.after(ctx, retryDelay, l.observer)
	}
	return nil
}

// retryLater requests a cycle for after a failure to write a ledger, unless one is already requested. If that cycle
// fails as well, it requests another.
func (l *loop) retryLater(ctx context.Context) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.retrying {
		return
	}
	l.retrying = true
	l.cycleAfter(ctx, retryDelay, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.retrying = false
	})
}

// cycleAfter requests a cycle after a pause, and calls first immediately before the request.
func (l *loop) cycleAfter(ctx context.Context, pause time.Duration, first func()) {
	l.after(ctx, pause, func() {
		first()
		l.cycleRequested.request()
	})
}

// after calls do after a pause, unless ctx ends first. It does not block.
func (l *loop) after(ctx context.Context, pause time.Duration, do func()) {
	over := l.o.Clock.After(pause)
	go func() {
		select {
		case <-ctx.Done():
		case <-over:
			do()
		}
	}()
}
