// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
)

// Resize implements queueing.Resizer. It does not show growth that is not in the ledger yet. A grant does not grow
// further before its holder has the growth that is recorded: if the second were reverted, the first would no longer be
// in the ledger.
func (g *Gate) Resize(_ context.Context, key queueing.Key, held queueing.Grant, want queueing.ResizeRequest) queueing.Allocation {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.follow(key, held)
	if f := g.inFlight.grants[key]; f == nil || f.before == nil {
		g.engine.SetResizeRequest(key, held.Run, held.Attempt, want)
	}
	g.decideAgain()
	allocation := g.engine.Allocation(key, held.Run, held.Attempt)
	if f := g.inFlight.grants[key]; f != nil && !f.recorded && f.before != nil && allocation.Grant != nil {
		allocation.Grant = f.before
	}
	return allocation
}

// follow makes the engine charge what is in the status of a holder if another process has written it: growth of which
// this one knows nothing, or a part of growth that this one has in flight, the rest of which may be granted to others.
func (g *Gate) follow(key queueing.Key, held queueing.Grant) {
	if known, holds := g.engine.Held(key); holds && known.Run == held.Run && known.Attempt == held.Attempt && known.Resizes < held.Resizes {
		g.dropInFlight(key)
		g.engine.Restore(key, held)
		return
	}
	g.settle(key, held)
}

// settle takes over the grant that its holder has persisted. A grant that was resized less often than the one in flight
// is ignored, because the holder has not seen the last growth yet. The caller must hold the lock.
func (g *Gate) settle(key queueing.Key, grant queueing.Grant) {
	f := g.inFlight.grants[key]
	if f != nil && (!f.isOf(grant.Run, grant.Attempt) || f.grant.Resizes != grant.Resizes) {
		return
	}
	if f != nil {
		g.confirm(key, f)
	}
	if g.engine.Settle(key, grant) {
		g.observer()
	}
	g.decideAgain()
}

// Decline implements queueing.Decliner.
func (g *Gate) Decline(_ context.Context, key queueing.Key, held queueing.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.inFlight.grants[key]
	if f == nil || f.before == nil || !f.isOf(held.Run, held.Attempt) || f.grant.Resizes <= held.Resizes {
		return
	}
	g.engine.SetResizeRequest(key, held.Run, held.Attempt, queueing.ResizeRequest{})
	if !g.engine.Revert(key) {
		g.engine.Restore(key, *f.before) // an earlier process had let it grow, so there is nothing to revert
	}
	g.dropInFlight(key)
	g.decideAgain()
	g.observer()
}
