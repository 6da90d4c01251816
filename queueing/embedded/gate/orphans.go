// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"
	"errors"

	"github.com/sparkgate/sparkgate/queueing"
)

// maxOrphans bounds the orphans of a ledger. Further ones are charged as before, and after a restart to the queue of
// their namespace.
const maxOrphans = 100

// orphan is the grant of a deleted application while pods of it are active.
type orphan struct {
	root     string
	grant    queueing.Grant
	recorded bool // stands in the ledger
}

// Orphaned implements queueing.OrphanTracker. The grant stays in the ledger until it is released: after a restart nothing
// else records what the pods may be charged to.
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
	g.addOrphan(key, grant)
	return grant, true
}

// addOrphan keeps a grant in the ledger of its tree from now on. The caller holds the lock.
func (g *Gate) addOrphan(key queueing.Key, grant queueing.Grant) {
	root, others := g.engine.Root(grant.Queue), 0
	for _, o := range g.orphans {
		if o.root == root {
			others++
		}
	}
	if root == "" || others >= maxOrphans {
		return
	}
	delete(g.inFlight, key)
	g.orphans[key] = &orphan{root: root, grant: grant}
	g.requestCycle()
}

// recordOrphans writes the ledgers that lack an orphan. It returns an error if another process has taken a ledger
// over; other failures are retried.
func (g *Gate) recordOrphans(ctx context.Context) error {
	g.mu.Lock()
	roots := map[string]bool{}
	for _, o := range g.orphans {
		if !o.recorded {
			roots[o.root] = true
		}
	}
	g.mu.Unlock()
	for root := range roots {
		switch err := g.swap(ctx, root); {
		case errors.Is(err, errFenced):
			return err
		case err != nil && ctx.Err() == nil:
			g.o.Log.Error(err, "record orphans in the ledger", "queue", root)
			g.wakeAfter(ctx, retryDelay)
		}
	}
	return nil
}
