// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Resize implements queueing.Resizer. Growth that the ledger does not have yet is not shown.
func (g *Gate) Resize(_ context.Context, key queueing.Key, held queueing.Grant, want queueing.ResizeRequest) queueing.Allocation {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.engine.SetResizeRequest(key, held.Run, held.Attempt, want)
	if g.engine.Dirty() {
		g.requestCycle()
	}
	room := g.engine.Allocation(key, held.Run, held.Attempt)
	if f := g.inFlight[key]; f != nil && !f.recorded && f.before != nil && room.Grant != nil {
		room.Grant = f.before
	}
	return room
}

// settleGrant takes over what the holder of a grant has persisted. A grant that was resized less often than the one that
// is held is ignored: the holder has not seen the last growth yet. The caller holds the lock.
func (g *Gate) settleGrant(key queueing.Key, grant queueing.Grant) {
	f := g.inFlight[key]
	if f != nil && (f.grant.Run != grant.Run || f.grant.Attempt != grant.Attempt || f.grant.Resizes != grant.Resizes) {
		return
	}
	if f != nil {
		g.confirmed(key, f)
	}
	if g.engine.Settle(key, grant) {
		g.observer()
	}
	if g.engine.Dirty() {
		g.requestCycle()
	}
}

// Decline implements queueing.Decliner.
func (g *Gate) Decline(_ context.Context, key queueing.Key, held queueing.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.inFlight[key]
	if f == nil || f.before == nil || f.grant.Run != held.Run || f.grant.Attempt != held.Attempt || f.grant.Resizes <= held.Resizes {
		return
	}
	g.engine.SetResizeRequest(key, held.Run, held.Attempt, queueing.ResizeRequest{})
	if !g.engine.Revert(key) {
		g.engine.Restore(key, *f.before) // an earlier process had let it grow
	}
	g.dropInFlight(key)
	if g.engine.Dirty() {
		g.requestCycle()
	}
	g.observer()
}

// inFlightGrowth returns the in-flight grant of a decision that let a grant grow.
func (g *Gate) inFlightGrowth(d *embedded.Decision) *inFlightGrant {
	return &inFlightGrant{root: d.Root, grant: d.Grant, before: d.Before}
}

// restoreGrowth charges growth of the previous process that is in the ledger but not in the application's status:
// that process may still write it. The growth is offered to the application again.
func (g *Gate) restoreGrowth(f *ledgerGrant, held *queueing.Grant) {
	grant := grantOf(&f.entry)
	if grant.Run != held.Run || grant.Attempt != held.Attempt || grant.Resizes <= held.Resizes {
		return
	}
	key := keyOf(&f.entry)
	g.engine.Restore(key, grant)
	g.inFlight[key] = &inFlightGrant{root: f.root, grant: grant, before: held, recorded: true}
}
