// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "slices"

// withdrawal undoes grants of the current call of Cycle that borrow, in favour of an ask that stays within its quota
// and may reclaim what they borrow.
//
// A queue competes with its first ask. If that one borrows, a later ask of the same queue that does not borrow gets its
// turn only after asks of other queues that borrow over the same distance. Preempting an earlier holder then would
// waste its work for an asker that has not even started. No caller has seen a withdrawn grant, so nothing is lost: its
// ask is pending as before.
//
// With fair sharing, shares decide who comes first, and nothing is withdrawn.
//
// This terminates because no asker's grant is withdrawn twice in one call.
type withdrawal struct {
	round     *preemptionRound
	admission *admission
	// first is the serial of the first grant of this call. Grants of earlier calls may have been recorded.
	first uint64
	// withdrawn holds the grants withdrawn in the current tournament, before those withdrawn in the whole call.
	withdrawn []*app
	before    map[*app]bool
	// inVain is true if withdrawing was not enough. Then nothing more is withdrawn in this call.
	inVain bool
}

// happened reports whether grants were withdrawn in the current tournament. The tournament then ends, because other
// asks may fit now.
func (w *withdrawal) happened() bool { return len(w.withdrawn) > 0 }

// withdrawFor withdraws the grants, newest first, that must go so that the first ask of a class fits. It reports
// whether it withdrew any, and withdraws none unless they are sufficient and all necessary.
func (w *withdrawal) withdrawFor(class *equivalenceClass) bool {
	if w.inVain || w.round.tree.fairSharing || w.admission.holders.grants < w.first || class.next() == nil || class.atMaxRunning() != nil {
		return false
	}
	if !w.round.mayPreemptFrom(class.queue) {
		return false
	}
	for i := range class.options {
		targets := w.search(class, &class.options[i])
		for _, v := range targets {
			w.withdrawn, w.before[v.app] = append(w.withdrawn, v.app), true
			w.admission.revert(v.app)
		}
		if len(targets) > 0 {
			return true
		}
	}
	return false
}

// grant grants the first ask of a class after a withdrawal. It returns nil if the ask does not fit because the quota is
// reserved for another one, which the search cannot foresee if reservations depend on release times.
func (w *withdrawal) grant(class *equivalenceClass) *app {
	where, elastic, fits := w.admission.fit(class)
	if w.inVain = !fits; w.inVain {
		return nil
	}
	granted := class.next()
	w.admission.assume(granted, where, elastic)
	return granted
}

// search returns the grants to withdraw in one option, or nil if they are not sufficient.
func (w *withdrawal) search(class *equivalenceClass, o *option) []*target {
	if !w.round.hierarchy.forest.WithinQuota(class.queue.node, o.minNeed) {
		return nil
	}
	p := w.round.newSearch(class, o)
	p.oldest = w.first
	targets, fits := p.run()
	forbidden := func(v *target) bool {
		return w.before[v.app] || !v.whole || v.byBorrower || v.byShare || v.app.held.queue == class.queue
	}
	if !fits || slices.ContainsFunc(targets, forbidden) {
		return nil
	}
	return targets
}

// without returns the decisions except for those that were withdrawn.
func (w *withdrawal) without(decisions []Decision) []Decision {
	if !w.happened() {
		return decisions
	}
	return slices.DeleteFunc(decisions, func(d Decision) bool {
		return slices.ContainsFunc(w.withdrawn, func(a *app) bool { return a.key == d.Key })
	})
}
