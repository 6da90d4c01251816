// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
)

// Charge charges what runs already, whether it fits or not. It does nothing for a key that holds a
// grant.
func (g *Gate) Charge(key queueing.Key, grant queueing.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, holds := g.grants[key]; holds {
		return
	}
	delete(g.awaited, key)
	g.engine.Restore(key, grant)
	g.rememberGrant(key, &grant)
	if g.engine.Dirty() {
		g.requestCycle()
	}
	g.observer()
}

// Persisted implements queueing.Gate.
func (g *Gate) Persisted(_ context.Context, key queueing.Key, grant queueing.Grant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.confirm(key, grant.Run, grant.Attempt)
	if grant.SchedulingGated {
		g.settleGrant(key, grant)
	}
}

// confirm ends the flight of a new grant. The caller holds the lock.
func (g *Gate) confirm(key queueing.Key, run, attempt int64) {
	if f := g.inFlight[key]; f != nil && f.before == nil && f.grant.Run == run && f.grant.Attempt == attempt {
		g.engine.Confirm(key, run, attempt)
		g.confirmed(key, f)
	}
}
