// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// requestRest requests a look at the ledgers after a while, because an entry is no longer in flight. It does not
// block.
func (r *Runner) requestRest() {
	select {
	case r.restRequested <- struct{}{}:
	default:
	}
}

// emptyLedgers writes the ledgers once more that still have entries although nothing of their tree is in flight, so
// that a ledger at rest is empty. A ledger that was written a moment ago is left alone: while applications arrive,
// the next grant is written soon, and that write omits the entries. It returns an error if another process has taken
// a ledger over; other failures are retried.
func (r *Runner) emptyLedgers(ctx context.Context) error {
	for _, root := range r.ledgersToEmpty() {
		switch err := r.swap(ctx, root); {
		case errors.Is(err, errFenced):
			return err
		case apierrors.IsNotFound(err): // the queue was deleted, and its ledger with it
			r.mu.Lock()
			r.ledgers[root].entries = 0
			r.mu.Unlock()
		case err != nil && ctx.Err() == nil:
			r.o.Log.Error(err, "empty the ledger", "queue", root)
			r.requestRest()
		}
	}
	return nil
}

// ledgersToEmpty returns the roots whose ledgers have obsolete entries, and nothing in flight. Those that were
// written lately are requested again.
func (r *Runner) ledgersToEmpty() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	flying, orphans := map[string]bool{}, map[string]int{}
	for _, f := range r.inFlight {
		flying[f.root] = true
	}
	for _, o := range r.orphans {
		orphans[o.root]++
	}
	var roots []string
	for root, l := range r.ledgers {
		switch {
		case l.entries == orphans[root] || flying[root]:
		case r.o.Clock.Since(l.written) < restDelay:
			r.requestRest()
		default:
			roots = append(roots, root)
		}
	}
	return roots
}
