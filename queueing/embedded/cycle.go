// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/admission"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// Dirty reports whether something has changed since the last complete Cycle, so that another one is needed.
func (e *Engine) Dirty() bool {
	return slices.ContainsFunc(e.hierarchy.Trees, func(t *state.Tree) bool { return t.Dirty })
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
//  3. That ask is granted. If it does not fit, its targets are preempted and its claim is charged. Grants of this call
//     are the first targets, in every case: no caller has seen them, so they are withdrawn, and their asks are pending
//     as before. This repeats until nothing changes, so that no ask that could have targets now is left for later.
//  4. Remaining quota goes to holders that want more than their base gangs (package growth).
//  5. All pending asks get their verdicts.
//
// Reserved quota (type state.Reservation) counts as used for asks that would delay the reservation.
//
// Free quota only shrinks while grants are made, so a class that does not fit once leaves the tournament.
func (e *Engine) Cycle(max int) []Decision {
	var out []Decision
	begin, found := slices.BinarySearchFunc(e.hierarchy.Trees, e.lastServedRoot, func(t *state.Tree, root string) int { return strings.Compare(t.Root, root) })
	if found {
		begin++
	}
	for i := range e.hierarchy.Trees {
		t := e.hierarchy.Trees[(begin+i)%len(e.hierarchy.Trees)]
		if !t.Dirty {
			continue
		}
		if max > 0 && len(out) >= max {
			break
		}
		e.lastServedRoot = t.Root
		out = e.cycleTree(t, out, max)
	}
	return out
}

// cycleTree appends the grants of one tree. If max interrupts it, the tree stays dirty.
func (e *Engine) cycleTree(t *state.Tree, out []Decision, max int) []Decision {
	t.FirstUnseen = e.holders.Grants + 1
	out, uncharge := e.admission.AdmitClaimed(t, out, max)
	defer uncharge()
	round := e.preemption.NewRound(t)
	defer round.End()
	for renew, again := true, true; again; {
		if renew {
			e.reservations.Update(t)
		}
		before, withdrawn, complete := t.HolderVersion, false, true
		if out, withdrawn, complete = admission.NewTournament(e.admission, round).Hold(out, max); !complete {
			e.reservations.NoteHeads(t)
			return out
		}
		renew = admission.HasNewHeads(t) || withdrawn || t.ReservationFulfilled()
		again = renew || t.HolderVersion != before || round.Settle()
	}
	t.Dirty = false
	out = e.growth.Grow(t, out, max)
	for _, q := range t.PendingQueues {
		e.verdicts.Update(q)
	}
	e.claims.UpdateVerdicts(t)
	return out
}
