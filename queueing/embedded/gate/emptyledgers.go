// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// requestRest requests a look at the ledgers after a while, because an entry is no longer in flight. It does not
// block.
func (g *Gate) requestRest() {
	select {
	case g.restRequested <- struct{}{}:
	default:
	}
}

// emptyLedgers writes the ledgers once more that still have entries although nothing of their tree is in flight, so
// that a ledger at rest is empty. A ledger that was written a moment ago is left alone: while applications arrive,
// the next grant is written soon, and that write omits the entries. It returns an error if another process has taken
// a ledger over; other failures are retried.
func (g *Gate) emptyLedgers(ctx context.Context) error {
	for _, root := range g.ledgersToEmpty() {
		switch err := g.swap(ctx, root); {
		case errors.Is(err, errFenced):
			return err
		case apierrors.IsNotFound(err): // the queue was deleted, and its ledger with it
			g.mu.Lock()
			g.ledgers[root].entries = 0
			g.mu.Unlock()
		case err != nil && ctx.Err() == nil:
			g.o.Log.Error(err, "empty the ledger", "queue", root)
			g.requestRest()
		}
	}
	return nil
}

// ledgersToEmpty returns the roots whose ledgers have obsolete entries, and nothing in flight. Those that were
// written lately are requested again.
func (g *Gate) ledgersToEmpty() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	flying, orphans := map[string]bool{}, map[string]int{}
	for _, f := range g.inFlight {
		flying[f.root] = true
	}
	for _, o := range g.orphans {
		orphans[o.root]++
	}
	var roots []string
	for root, l := range g.ledgers {
		switch {
		case l.entries == orphans[root] || flying[root]:
		case g.o.Clock.Since(l.written) < restDelay:
			g.requestRest()
		default:
			roots = append(roots, root)
		}
	}
	return roots
}
