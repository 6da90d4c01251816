// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded"
)

// Leads reports whether this process leads and has restored what is held. Other processes cannot explain anything.
func (g *Gate) Leads() bool {
	select {
	case <-g.opened:
		return true
	default:
		return false
	}
}

// Explain returns the live view of an application, or false if it neither asks for nor holds anything here.
func (g *Gate) Explain(key queueing.Key) (embedded.Explanation, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.Explain(key)
}

// ExplainQueue returns the live view of a queue, or false if the queue is not configured.
func (g *Gate) ExplainQueue(queue string) (embedded.QueueExplanation, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.ExplainQueue(queue)
}

// State returns the state of a queue, or false if the queue is not configured.
func (g *Gate) State(queue string) (embedded.QueueState, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.State(queue)
}

// Names returns the names of all queues.
func (g *Gate) Names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.Names()
}

// QueuesFor returns, in order, the queues that asks from a namespace with these labels may name.
func (g *Gate) QueuesFor(labels map[string]string, needsLimits bool) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.QueuesFor(labels, needsLimits)
}

// Unlimited reports whether a queue is configured and its whole tree has no quota.
func (g *Gate) Unlimited(queue string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.engine.Unlimited(queue)
}
