// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"time"
)

// reaskTimeout bounds how long the first cycle waits for asks that were pending before a restart.
const reaskTimeout = 10 * time.Second

// loop does one at a time what others request: cycles, and writes of ledgers.
type loop struct {
	o          *Options
	admissions *admissions
	signals    *signals
	cycles     *cycles
	ledgers    *ledgers
	counts     *counts
	timer      *timer
}

// run does what is requested until ctx is done. It returns an error if another process has taken over a ledger.
func (l *loop) run(ctx context.Context) error {
	l.waitForReasks(ctx)
	var rested <-chan time.Time
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-l.signals.cycle:
			err = l.cycles.run(ctx)
		case <-l.signals.rest:
			if rested == nil {
				rested = l.o.Clock.After(restDelay)
			}
		case <-rested:
			rested = nil
			err = l.ledgers.empty(ctx)
		case <-l.signals.counts:
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
		l.admissions.mu.Lock()
		missing := len(l.admissions.asks.awaited)
		l.admissions.mu.Unlock()
		if missing == 0 {
			l.signals.cycle.request()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-deadline:
			l.o.Log.Info("Admitting without some askers that were pending before the restart", "missing", missing)
			l.signals.cycle.request()
			return
		case <-l.o.Clock.After(5 * time.Millisecond):
		}
	}
}

// writeCounts writes the counts of one queue with its ledger, which also removes the obsolete entries of the ledger. A
// requested cycle runs first, so that many counts do not delay grants. After a failure the observer is called again
// after a pause.
func (l *loop) writeCounts(ctx context.Context) error {
	select {
	case <-l.signals.cycle:
		if err := l.cycles.run(ctx); err != nil {
			return err
		}
	default:
	}
	root, counts := l.counts.take(ctx)
	if root == "" {
		return nil
	}
	written, err := l.ledgers.result(ctx, root, l.ledgers.swap(ctx, root, counts))
	if !written {
		l.timer.after(ctx, retryDelay, l.o.changed)
	}
	return err
}
