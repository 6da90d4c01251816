// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import "github.com/sparkgate/sparkgate/queueing"

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
