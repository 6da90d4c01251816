// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"
)

// Dirty reports whether something has changed since the last complete Cycle, so that another one is needed.
func (e *Engine) Dirty() bool {
	return slices.ContainsFunc(e.hierarchy.trees, func(t *tree) bool { return t.dirty })
}

// Cycle grants asks in order until nothing more fits, or until it has made max grants (unlimited for max ≤ 0). Each
// grant is charged immediately. If it makes fewer than max grants, every ask was evaluated. The decisions of a tree are
// adjacent in the result, and trees take turns in being first.
//
// Within a tree:
//  1. Each queue that admits is represented by its first ask that fits or may preempt enough; a StrictFIFO queue by its
//     head, if that ask does.
//  2. Among these, the ask that borrows over the shortest distance comes first, so that the quota of a queue serves the
//     queue itself, and then the queues nearest to it. Ties are broken by priority, age and UID.
//  3. That ask is granted. If it does not fit, its targets are preempted and its claim is charged. This repeats until
//     no queue has such an ask. Grants of the current cycle are never targets, but those that no caller has seen yet
//     are withdrawn first if they borrow quota that the ask may reclaim (type withdrawal).
//  4. Remaining quota goes to holders that want more than their base gangs (method grow).
//  5. All pending asks get their verdicts.
//
// Reserved quota (type reservation) counts as used for asks that would delay the reservation.
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

// cycleTree appends the grants of one tree. If max interrupts it, the tree stays dirty.
func (e *Engine) cycleTree(t *tree, out []Decision, max int) []Decision {
	if !t.interrupted {
		if t.firstOfCycle <= e.holders.grants {
			t.targetVersion++ // grants made since the last cycle may be preempted from now on
		}
		t.firstOfCycle = e.holders.grants + 1
	}
	t.interrupted = true
	out, uncharge := e.admission.admitClaimed(t, out, max)
	defer uncharge()
	round := e.preemption.newRound(t)
	defer round.end()
	w := &withdrawal{round: round, admission: e.admission, first: e.holders.grants + 1, before: map[*app]bool{}}
	for again := true; again; again = w.happened() || t.reservationFulfilled() || t.hasNewHeads() {
		e.reservations.updateReservations(t)
		c := newTournament(e.admission, round, w)
		for !w.happened() {
			q := c.first()
			if q == nil {
				break
			}
			if max > 0 && len(out) >= max {
				e.reservations.noteHeads(t)
				return out
			}
			a := c.turn(q)
			if out = w.without(out); a != nil {
				out = append(out, Decision{Key: a.key, Root: t.root, Grant: a.held.grant})
			}
		}
	}
	t.dirty, t.interrupted = false, false
	out = e.growth.grow(t, out, max)
	for _, q := range t.pendingQueues {
		e.verdicts.updateVerdicts(q)
	}
	e.claims.updateClaimVerdicts(t)
	return out
}
