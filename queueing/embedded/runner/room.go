// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import "context"

// room is how many grants the next cycle may make. With none, another cycle follows by itself: when half of the batch is confirmed, or
// after a pause. The caller holds the lock.
func (r *Runner) room(ctx context.Context) int {
	used := len(r.flights)
	if used <= batch/2 || !r.full && used < batch {
		r.full, r.overdue = false, false
		return batch - used
	}
	if r.overdue {
		r.full, r.overdue = false, false // the pause begins anew with the next call
		return trickle
	}
	if !r.full {
		r.full = true
		pause := r.o.Clock.After(trickleEvery)
		go func() {
			select {
			case <-ctx.Done():
			case <-pause:
				r.mu.Lock()
				r.overdue = r.full
				r.mu.Unlock()
				r.wakeUp()
			}
		}()
	}
	return 0
}
