// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	explainv1 "github.com/sparkgate/sparkgate/api/explain/v1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
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

// Explain returns the live view of an asker, or false if it neither asks for nor holds anything here.
func (g *Gate) Explain(key queueing.Key) (explainv1.Application, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	x, known := g.engine.Explain(key)
	if !known {
		return explainv1.Application{}, false
	}
	return convert.Explanation(x), true
}

// ExplainQueue returns the live view of a queue, or false if the queue is not configured.
func (g *Gate) ExplainQueue(queue string) (explainv1.Queue, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	x, known := g.engine.ExplainQueue(queue)
	if !known {
		return explainv1.Queue{}, false
	}
	return convert.QueueExplanation(x), true
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
