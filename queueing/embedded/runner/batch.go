// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import "context"

// grantsAllowed returns how many grants the next cycle may make. If it is 0, another cycle follows automatically:
// when half of the batch is confirmed, or after a pause. The caller holds the lock.
func (r *Runner) grantsAllowed(ctx context.Context) int {
	used := len(r.inFlight)
	if used <= batch/2 || !r.batchFull && used < batch {
		r.batchFull, r.overdue = false, false
		return batch - used
	}
	if r.overdue {
		r.batchFull, r.overdue = false, false // the pause begins anew with the next call
		return overflowBatch
	}
	if !r.batchFull {
		r.batchFull = true
		pause := r.o.Clock.After(overflowInterval)
		go func() {
			select {
			case <-ctx.Done():
			case <-pause:
				r.mu.Lock()
				r.overdue = r.batchFull
				r.mu.Unlock()
				r.requestCycle()
			}
		}()
	}
	return 0
}
