// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import "context"

// grantsAllowed returns how many grants the next cycle may make. If it is 0, another cycle follows automatically:
// when half of the batch is confirmed, or after a pause. The caller holds the lock.
func (g *Gate) grantsAllowed(ctx context.Context) int {
	used := len(g.inFlight)
	if used <= batch/2 || !g.batchFull && used < batch {
		g.batchFull, g.overdue = false, false
		return batch - used
	}
	if g.overdue {
		g.batchFull, g.overdue = false, false // the pause begins anew with the next call
		return overflowBatch
	}
	if !g.batchFull {
		g.batchFull = true
		pause := g.o.Clock.After(overflowInterval)
		go func() {
			select {
			case <-ctx.Done():
			case <-pause:
				g.mu.Lock()
				g.overdue = g.batchFull
				g.mu.Unlock()
				g.requestCycle()
			}
		}()
	}
	return 0
}
