// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "github.com/sparkgate/sparkgate/queueing/quota"

// within returns how much of the free quota is reserved for asks of a queue and of those below it: for heads that have
// waited too long, and for asks that preempt others. Only quota that the asking queue could use now counts as free, so
// the amounts grow as others release quota. It changes nothing.
func (rs *reservations) within(q *queue) map[quota.Cell]int64 {
	var out map[quota.Cell]int64
	add := func(at *queue, need quota.Vector) {
		if out == nil {
			out = map[quota.Cell]int64{}
		}
		for _, b := range rs.hierarchy.forest.Needs(at.node, need) {
			free := max(0, rs.hierarchy.forest.Account(at.node, b.Cell).Available())
			out[b.Cell] = quota.Plus(out[b.Cell], min(b.Need, free))
		}
	}
	for _, r := range q.tree.reservations {
		if !r.isDone() && q.contains(r.queue) {
			add(r.queue, rs.kept(r))
		}
	}
	for _, c := range rs.claims.all {
		if class := c.app.class; class != nil && c.app.ask == c.ask && !class.isInadmissible() && q.contains(class.queue) {
			add(class.queue, rs.claims.claimNeed(c))
		}
	}
	for cell, amount := range out { // several asks may wait for the same quota
		out[cell] = min(amount, max(0, rs.hierarchy.forest.Account(q.node, cell).Available()))
	}
	return out
}

// kept returns the maximum amount that a reservation keeps free.
func (rs *reservations) kept(r *reservation) quota.Vector {
	if r.queue.keepsOwnPart() {
		return rs.hierarchy.forest.OwnPart(r.queue.node, r.need)
	}
	return r.need
}
