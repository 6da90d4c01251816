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
// It ends: for each withdrawal, an ask is granted that stays within its quota, and that is not withdrawn itself.
type withdrawal struct {
	round     *preemptionRound
	admission *admission
	// first is the serial of the first grant of this call; those from earlier calls may have been recorded.
	first uint64
	// withdrawn in the current tournament.
	withdrawn []*app
}

// happened reports whether grants were withdrawn in the current tournament. It is over then: what they leave may fit others.
func (w *withdrawal) happened() bool { return len(w.withdrawn) > 0 }

// makesRoom withdraws the grants, newest first, that let the first ask of a class fit, if there are such and none of them
// could be spared. It reports whether there were.
func (w *withdrawal) makesRoom(class *equivalenceClass) bool {
	if w.round.tree.fairSharing || w.admission.holders.grants < w.first || class.next() == nil || class.atMaxRunning() != nil || !w.round.mayPreemptFrom(class.queue) {
		return false
	}
	for i := range class.options {
		targets := w.search(class, &class.options[i])
		for _, v := range targets {
			w.withdrawn = append(w.withdrawn, v.app)
			w.admission.revert(v.app)
		}
		if len(targets) > 0 {
			return true
		}
	}
	return false
}

// search returns the grants to withdraw in one option; none if they do not suffice.
func (w *withdrawal) search(class *equivalenceClass, o *option) []*target {
	if !w.round.hierarchy.forest.WithinQuota(class.queue.node, o.minNeed) {
		return nil
	}
	p := w.round.newSearch(class, o)
	p.oldest = w.first
	targets, fits := p.run()
	inVain := func(v *target) bool { return !v.whole || v.byBorrower || v.byShare || v.app.held.queue == class.queue }
	if !fits || slices.ContainsFunc(targets, inVain) {
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
