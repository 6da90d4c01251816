// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Explain returns the live view of an asker that has an ask or a grant, or false if it has neither. It changes nothing.
func (e *Engine) Explain(key queueing.Key) (Explanation, bool) {
	a := e.registry.apps[key]
	if a == nil || a.ask == nil && a.held == nil {
		return Explanation{}, false
	}
	v := e.Verdict(key)
	out := Explanation{State: v.State, Reason: v.Reason, Message: v.Message}
	if h := a.held; h != nil {
		out.Queue = h.grant.Queue
		out.Holding = &HeldGrant{
			Run: h.grant.Run, Attempt: h.grant.Attempt, Priority: h.standing.Priority, PodSets: h.grant.PodSets,
			Terminating: h.standing.Terminating, Eviction: h.eviction(),
			Wants: max(0, h.growth.want.Count-elasticPods(h.grant)), Why: h.growth.message,
		}
		out.Holding.Reclaims = e.Allocation(key, h.grant.Run, h.grant.Attempt).Reclaims
	}
	if a.ask != nil {
		out.Queue = a.ask.queue
		out.Pending = e.explainer.explainAsk(a)
	}
	return out, true
}

// ExplainQueue returns the live view of a queue, or false if the queue is not configured. It changes nothing.
func (e *Engine) ExplainQueue(name string) (QueueExplanation, bool) {
	state, exists := e.State(name)
	if !exists {
		return QueueExplanation{}, false
	}
	q := e.hierarchy.queues[name]
	out := QueueExplanation{QueueState: state}
	if full := q.atMaxRunning(); full != nil {
		out.AtMaxRunning = full.name
	}
	for _, u := range state.Usage {
		account := e.hierarchy.forest.Account(q.node, quota.Cell{Flavor: u.Flavor, Resource: u.Resource})
		out.Headroom = append(out.Headroom, Headroom{Available: account.Available(), Most: account.Limit().Potential})
	}
	for _, r := range q.tree.reservations {
		if r.queue == q && r.app.class != nil && !r.isDone() {
			out.ReservedFor = append(out.ReservedFor, headOf(r.app))
		}
	}
	return out, true
}
