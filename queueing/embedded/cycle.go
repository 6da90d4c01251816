// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"
)

// Dirty reports whether something has changed since the last complete Cycle that needs another one.
func (e *Engine) Dirty() bool {
	return slices.ContainsFunc(e.hierarchy.trees, func(t *tree) bool { return t.dirty })
}

// Cycle grants in order until nothing more fits, or until it has made max grants (no bound for max ≤ 0); each grant is
// charged at once. If it makes fewer than max grants, every ask has been looked at. Decisions of one tree stand
// together, and trees take turns in being first.
//
// Within a tree:
//  1. each queue that admits is represented by its first ask that fits (a StrictFIFO queue by its head, if that fits);
//  2. of these, one that stays within its queue's own quota comes first, then by priority, age and UID;
//  3. it is granted, and so on, until no queue has an ask that fits;
//  4. claims are created for pending asks that may preempt others;
//  5. what is left goes to holders that want more than their base gangs (method grow);
//  6. then all pending asks get their verdicts.
//
// Quota that is reserved (type reservation) counts as used for the asks that would delay the reservation.
//
// Free quota only shrinks while grants are made, so a class that does not fit once leaves the tournament.
func (e *Engine) Cycle(max int) []Decision {
	var out []Decision
	begin, found := slices.BinarySearchFunc(e.hierarchy.trees, e.lastServedRoot, func(t *tree, root string) int { return strings.Compare(t.root, root) })
	if found {
		begin++
	}
	for i := range e.hierarchy.trees {
		t := e.hierarchy.trees[(begin+i)%len(e.hierarchy.trees)]
		if !t.dirty {
			continue
		}
		if max > 0 && len(out) >= max {
			break
		}
		e.lastServedRoot = t.root
		out = e.cycleTree(t, out, max)
	}
	return out
}

// cycleTree appends the grants of one tree. A tree that is cut short by max stays dirty.
func (e *Engine) cycleTree(t *tree, out []Decision, max int) []Decision {
	out, uncharge := e.admission.admitClaimed(t, out, max)
	defer uncharge()
	for again := true; again; again = t.reservationFulfilled() {
		e.reservations.updateReservations(t)
		c := newTournament(e.admission, t)
		for q := c.first(); q != nil; q = c.first() {
			if max > 0 && len(out) >= max {
				return out
			}
			a := e.admission.grantFirst(q)
			c.update(q)
			if a != nil {
				out = append(out, Decision{Key: a.key, Root: t.root, Grant: a.held.grant})
				c.recheck()
			}
		}
	}
	t.dirty = false
	defer e.claims.chargeClaims(e.preemption.preempt(t))()
	out = e.growth.grow(t, out, max)
	for _, q := range t.pendingQueues {
		e.verdicts.updateVerdicts(q)
	}
	e.claims.updateClaimVerdicts(t)
	return out
}
