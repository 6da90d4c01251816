// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/preemption"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
)

// Withdrawal undoes grants of the current call of Cycle that borrow, in favour of an ask that stays within its quota
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
type Withdrawal struct {
	round     *preemption.Round
	admission *Admitter
	// first is the serial of the first grant of this call. Grants of earlier calls may have been recorded.
	first uint64
	// withdrawn holds the grants withdrawn in the current tournament, before those withdrawn in the whole call.
	withdrawn []*state.Asker
	before    map[*state.Asker]bool
	// inVain is true if withdrawing was not enough. Then nothing more is withdrawn in this call.
	inVain bool
}

// NewWithdrawal begins the withdrawals of one call of Cycle in one tree.
func NewWithdrawal(ad *Admitter, pr *preemption.Round) *Withdrawal {
	return &Withdrawal{round: pr, admission: ad, first: ad.holders.Grants + 1, before: map[*state.Asker]bool{}}
}

// Happened reports whether grants were withdrawn in the current tournament. The tournament then ends, because other
// asks may fit now.
func (w *Withdrawal) Happened() bool { return len(w.withdrawn) > 0 }

// withdrawFor withdraws the grants, newest first, that must go so that the first ask of a class fits. It reports
// whether it withdrew any, and withdraws none unless they are sufficient and all necessary.
func (w *Withdrawal) withdrawFor(class *state.Class) bool {
	if w.inVain || w.round.Tree.FairSharing || w.admission.holders.Grants < w.first || class.Next() == nil || class.AtMaxRunning() != nil {
		return false
	}
	if !w.round.MayPreemptFrom(class.Queue) {
		return false
	}
	for i := range class.Options {
		targets := w.search(class, &class.Options[i])
		for _, v := range targets {
			w.withdrawn, w.before[v.Asker] = append(w.withdrawn, v.Asker), true
			w.admission.Revert(v.Asker)
		}
		if len(targets) > 0 {
			return true
		}
	}
	return false
}

// grant grants the first ask of a class after a withdrawal. It returns nil if the ask does not fit because the quota is
// reserved for another one, which the search cannot foresee if reservations depend on release times.
func (w *Withdrawal) grant(class *state.Class) *state.Asker {
	where, elastic, fits := w.admission.fit(class)
	if w.inVain = !fits; w.inVain {
		return nil
	}
	granted := class.Next()
	w.admission.assume(granted, where, elastic)
	return granted
}

// search returns the grants to withdraw in one option, or nil if they are not sufficient.
func (w *Withdrawal) search(class *state.Class, o *placement.Option) []*state.Target {
	if !w.admission.hierarchy.Forest.WithinQuota(class.Queue.Node, o.MinNeed) {
		return nil
	}
	p := w.round.NewSearch(class, o)
	p.Oldest = w.first
	targets, fits := p.Run()
	forbidden := func(v *state.Target) bool {
		return w.before[v.Asker] || !v.Whole || v.ByBorrower || v.ByShare || v.Asker.Held.Queue == class.Queue
	}
	if !fits || slices.ContainsFunc(targets, forbidden) {
		return nil
	}
	return targets
}

// Without returns the decisions except for those that were withdrawn.
func (w *Withdrawal) Without(decisions []state.Decision) []state.Decision {
	if !w.Happened() {
		return decisions
	}
	return slices.DeleteFunc(decisions, func(d state.Decision) bool {
		return slices.ContainsFunc(w.withdrawn, func(a *state.Asker) bool { return a.Key == d.Key })
	})
}
