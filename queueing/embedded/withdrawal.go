// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import "slices"

// withdrawal undoes grants of the current call of Cycle that borrow, for an ask that stays within its quota and may reclaim
// what they borrow. A queue competes with its first ask; if that one borrows, a later ask of the queue that does not has
// its turn only after asks of other queues that borrow as far. To preempt an earlier holder then would throw work away for
// an application that has not begun. No caller has seen a grant that is withdrawn, so nothing is lost: its ask waits as
// before.
//
// Where shares are compared they decide who comes first, and nothing is withdrawn.
//
// It ends: no application's grant is withdrawn twice in a call.
type withdrawal struct {
	round     *preemptionRound
	admission *admission
	// first is the serial of the first grant of this call; those from earlier calls may have been recorded.
	first uint64
	// withdrawn in the current tournament, and in the whole call.
	withdrawn []*app
	before    map[*app]bool
	// inVain: what was withdrawn was not enough. Nothing more is withdrawn in this call.
	inVain bool
}

// happened reports whether grants were withdrawn in the current tournament. It is over then: what they leave may fit others.
func (w *withdrawal) happened() bool { return len(w.withdrawn) > 0 }

// makesRoom withdraws the grants, newest first, that let the first ask of a class fit, if there are such and none of them
// could be spared. It reports whether there were.
func (w *withdrawal) makesRoom(class *equivalenceClass) bool {
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

// grant grants the first ask of a class, for which there is room now; nil if the quota that was withdrawn is kept for another
// one, which the search cannot see where reservations depend on when holders end.
func (w *withdrawal) grant(class *equivalenceClass) *app {
	where, elastic, fits := w.admission.fit(class)
	if w.inVain = !fits; w.inVain {
		return nil
	}
	granted := class.next()
	w.admission.assume(granted, where, elastic)
	return granted
}

// search returns the grants to withdraw in one option; none if they do not suffice.
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

// without returns decisions except for those that were withdrawn.
func (w *withdrawal) without(decisions []Decision) []Decision {
	if !w.happened() {
		return decisions
	}
	return slices.DeleteFunc(decisions, func(d Decision) bool {
		return slices.ContainsFunc(w.withdrawn, func(a *app) bool { return a.key == d.Key })
	})
}
