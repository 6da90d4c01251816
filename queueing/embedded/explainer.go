// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// explainer explains to users what an ask needs and what would unblock it. It changes nothing.
type explainer struct {
	hierarchy    *hierarchy
	claims       *claims
	reservations *reservations
}

// preferredPlacement returns the first placement of a class that could ever fit, else the placement in the queue's
// first flavors. It is nil if the queue is unusable or has no flavor for the pods.
func (ex *explainer) preferredPlacement(class *equivalenceClass) placement {
	if len(class.options) > 0 {
		return class.options[0].where
	}
	if class.queue.node == quota.None || class.signature.broken != "" || class.inadmissible.Reason == queueing.ReasonReferenceNotFound {
		return nil
	}
	if search, verdict := ex.hierarchy.placements(class.queue, class.signature); verdict.State == queueing.Undecided {
		return search.preferred()
	}
	return nil
}

// needs returns the minimum needs of a class in a placement.
func (ex *explainer) needs(class *equivalenceClass, where placement) []Need {
	var out []Need
	n := class.queue.node
	for _, a := range quota.Summed(class.signature.amounts(where, class.signature.minCount())) {
		account := ex.hierarchy.forest.Account(n, a.Cell)
		need := Need{
			Flavor: a.Flavor, Resource: a.Resource, Need: a.Value,
			Available: account.Available(), Most: account.Limit().Potential, BlockedBy: ex.obstacles(n, a),
		}
		for _, o := range need.BlockedBy {
			need.Missing = max(need.Missing, o.Missing)
		}
		out = append(out, need)
	}
	return out
}

// obstacles returns the limits that leave too little quota for a need.
func (ex *explainer) obstacles(n quota.NodeID, a quota.Amount) []BlockingLimit {
	v := ex.hierarchy.forest.Prepare(n, []quota.Amount{a})
	lacks := ex.hierarchy.forest.AppendShortfalls(nil, n, v)
	if b, blocked := ex.hierarchy.forest.Blocked(n, v); blocked && len(lacks) == 0 { // the tree does not have this flavor
		return []BlockingLimit{{Queue: ex.hierarchy.forest.At(n).Name, Missing: b.Need}}
	}
	var out []BlockingLimit
	for _, lack := range lacks {
		if lack > 0 {
			account := ex.hierarchy.forest.Account(n, a.Cell)
			out = append(out, BlockingLimit{Queue: ex.hierarchy.forest.At(n).Name, Used: account.Usage(), Limit: account.Limit().Max(), Missing: lack})
		}
		n = ex.hierarchy.forest.At(n).Parent
	}
	return out
}

// reservedFor returns the asks for which the quota is reserved that this ask could use: a head that has waited too
// long, or asks that preempt others.
func (ex *explainer) reservedFor(a *app) []Head {
	class := a.class
	if r := ex.reservations.reservationBlocking(class); r != nil && r.app != a {
		return []Head{headOf(r.app)}
	}
	if a.claim != nil || !slices.ContainsFunc(class.options, func(o option) bool { return ex.reservations.fitsNow(class, o.minNeed) }) {
		return nil
	}
	var out []Head
	for _, c := range ex.claims.all {
		if c.app != a && c.app.class != nil && c.app.class.queue.tree == class.queue.tree {
			out = append(out, headOf(c.app))
		}
	}
	return out
}

// explainAsk returns the explanation of a pending ask.
func (ex *explainer) explainAsk(a *app) *PendingAsk {
	w := &PendingAsk{
		Run: a.ask.run, Attempt: a.ask.attempt, Priority: a.ask.priority, QueuedAt: a.ask.queuedAt, PodSets: a.ask.signature.podSets,
	}
	w.Remedies = ex.remedies(a)
	if a.class == nil {
		return w
	}
	if !a.class.isInadmissible() {
		w.Position, w.InLine, w.Ahead = a.class.queue.position(a)
		w.ReservedFor = ex.reservedFor(a)
	}
	if where := ex.preferredPlacement(a.class); where != nil {
		w.Needs = ex.needs(a.class, where)
	}
	return w
}

// position returns the position of an asker among the admissible asks of its queue, the number of these asks, and the
// last ones before it.
func (q *queue) position(a *app) (position, inLine int, ahead []Head) {
	var last []*app
	for _, class := range q.classes {
		if class.isInadmissible() {
			continue
		}
		inLine += len(class.apps.items)
		for _, other := range class.apps.items {
			if compareApps(other, a) > 0 {
				continue
			}
			if position++; other == a || len(last) == AheadShown && compareApps(other, last[0]) < 0 {
				continue
			}
			at, _ := slices.BinarySearchFunc(last, other, compareApps)
			last = slices.Insert(last, at, other)
			last = last[max(0, len(last)-AheadShown):]
		}
	}
	for _, other := range last {
		ahead = append(ahead, headOf(other))
	}
	return position, inLine, ahead
}

func headOf(a *app) Head { return Head{Key: a.key, Priority: a.ask.priority} }
