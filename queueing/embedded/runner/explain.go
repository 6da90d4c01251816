// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Decides reports whether this process leads and has restored what is held. No other process can explain anything.
func (r *Runner) Decides() bool {
	select {
	case <-r.opened:
		return true
	default:
		return false
	}
}

// Explain returns the live view of an application; false if it asks and holds nothing here.
func (r *Runner) Explain(key queueing.Key) (embedded.Explanation, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.engine.Explain(key)
}

// ExplainQueue returns the live view of a queue; false if it is not configured.
func (r *Runner) ExplainQueue(queue string) (embedded.QueueExplanation, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.engine.ExplainQueue(queue)
}

// State returns the state of a queue; false if it is not configured.
func (r *Runner) State(queue string) (embedded.QueueState, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.engine.State(queue)
}

// Names returns the names of all queues.
func (r *Runner) Names() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.engine.Names()
}
