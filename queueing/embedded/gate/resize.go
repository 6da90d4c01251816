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
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	a.follow(key, held)
	if f := a.inFlight.grants[key]; f == nil || f.before == nil {
		a.engine.SetResizeRequest(key, held.Run, held.Attempt, want)
	}
	a.decideAgain()
	allocation := a.engine.Allocation(key, held.Run, held.Attempt)
	if f := a.inFlight.grants[key]; f != nil && !f.recorded && f.before != nil && allocation.Grant != nil {
		allocation.Grant = f.before
	}
	return allocation
}

// Decline implements queueing.Decliner.
func (g *Gate) Decline(_ context.Context, key queueing.Key, held queueing.Grant) {
	a := g.admissions
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.inFlight.grants[key]
	if f == nil || f.before == nil || !f.isOf(held.Run, held.Attempt) || f.grant.Resizes <= held.Resizes {
		return
	}
	a.engine.SetResizeRequest(key, held.Run, held.Attempt, queueing.ResizeRequest{})
	if !a.engine.Revert(key) {
		a.engine.Restore(key, *f.before) // an earlier process had let it grow, so there is nothing to revert
	}
	a.dropInFlight(key)
	a.decideAgain()
	a.o.changed()
}

// follow makes the engine charge what is in the status of a holder if another process has written it: growth of which
// this one knows nothing, or a part of growth that this one has in flight, the rest of which may be granted to others.
func (a *admissions) follow(key queueing.Key, held queueing.Grant) {
	if known, holds := a.engine.Held(key); holds && known.Run == held.Run && known.Attempt == held.Attempt && known.Resizes < held.Resizes {
		a.dropInFlight(key)
		a.engine.Restore(key, held)
		return
	}
	a.settle(key, held)
}

// settle takes over the grant that its holder has persisted. A grant that was resized less often than the one in flight
// is ignored, because the holder has not seen the last growth yet.
func (a *admissions) settle(key queueing.Key, grant queueing.Grant) {
	f := a.inFlight.grants[key]
	if f != nil && (!f.isOf(grant.Run, grant.Attempt) || f.grant.Resizes != grant.Resizes) {
		return
	}
	if f != nil {
		a.confirm(key, f)
	}
	if a.engine.Settle(key, grant) {
		a.o.changed()
	}
	a.decideAgain()
}
