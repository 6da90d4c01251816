// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"

	"github.com/sparkgate/sparkgate/queueing"
)

// Charge charges what runs already, whether it fits or not. It does nothing for a key that holds a
// grant.
func (r *Runner) Charge(key queueing.Key, grant queueing.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, holds := r.grants[key]; holds {
		return
	}
	delete(r.awaited, key)
	r.engine.Restore(key, grant)
	r.rememberGrant(key, &grant)
	if r.engine.Dirty() {
		r.requestCycle()
	}
	r.observer()
}

// Persisted implements queueing.Gate.
func (r *Runner) Persisted(_ context.Context, key queueing.Key, grant queueing.Grant) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.confirm(key, grant.Run, grant.Attempt)
	if grant.SchedulingGated {
		r.settleGrant(key, grant)
	}
}

// confirm ends the flight of a new grant. The caller holds the lock.
func (r *Runner) confirm(key queueing.Key, run, attempt int64) {
	if f := r.inFlight[key]; f != nil && f.before == nil && f.grant.Run == run && f.grant.Attempt == attempt {
		r.engine.Confirm(key, run, attempt)
		r.confirmed(key, f)
	}
}
