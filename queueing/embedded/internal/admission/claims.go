// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package admission

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/state"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// claimRound evaluates the claims of a tree, one after the other, at the beginning of a cycle.
type claimRound struct {
	*Admitter
	tree *state.Tree
	// kept are the evaluated claims that still wait, later those that are not evaluated yet.
	kept, later []*state.Claim
}

// AdmitClaimed grants claimed quota that has become free, in each case to the first ask of the claim's equivalence
// class, and charges the remaining claims. The returned function undoes these charges.
func (ad *Admitter) AdmitClaimed(t *state.Tree, out []state.Decision, max int) (decisions []state.Decision, uncharge func()) {
	cr := &claimRound{Admitter: ad, tree: t, later: ad.claims.Active(t)}
	cr.refreshReservations()
	for len(cr.later) > 0 {
		c := cr.later[0]
		cr.later = cr.later[1:]
		class, grantee := c.Asker.Class, granteeOf(c)
		ad.reservations.Claimant = grantee
		where, elastic, fits := cr.fit(c)
		switch {
		case fits && class.AtMaxRunning() == nil && (max <= 0 || len(out) < max):
			ad.claims.Cancel(c)
			ad.assume(grantee, where, elastic)
			out = append(out, state.Decision{Key: grantee.Key, Root: t.Root, Grant: grantee.Held.Grant})
		case fits && class.AtMaxRunning() == nil, ad.claims.IsPending(c), !fits && cr.awaitsOthers(c):
			cr.kept = append(cr.kept, c)
		default:
			ad.claims.Cancel(c)
		}
	}
	ad.reservations.Claimant = nil
	return out, ad.claims.Charge(cr.kept)
}

// refreshReservations updates the reservations if there are claims. A claim that is granted early, or beyond its
// minimum, must not delay a head whose time has come since the last cycle.
func (cr *claimRound) refreshReservations() {
	if len(cr.later) > 0 {
		uncharge := cr.claims.Charge(cr.later)
		cr.reservations.Update(cr.tree)
		uncharge()
	}
}

// fit returns with how many pods a claim can be granted now in its placement.
//
// Once its targets have released what was reclaimed, the minimum is granted as planned, and reservations and other
// claims are not checked. For more pods than that, or while its targets still hold what they must release, it competes
// like any other ask with the claims and reservations of others.
func (cr *claimRound) fit(c *state.Claim) (where placement.Choice, elastic int32, fits bool) {
	class := c.Asker.Class
	need, planned := cr.planned(c)
	if planned == nil {
		return nil, 0, false
	}
	if _, blocked := cr.hierarchy.Forest.Blocked(class.Queue.Node, need); blocked {
		return nil, 0, false
	}
	defer cr.claims.Charge(slices.Concat(cr.kept, cr.later))()
	if cr.claims.IsPending(c) && !cr.reservations.FitsNow(class, need) {
		return nil, 0, false
	}
	elastic, _ = cr.fitIn(class, planned)
	return planned, elastic, true
}

// planned returns the current placement of a claim and its minimum need there, or nil if the pods can no longer be
// placed like that.
func (cr *claimRound) planned(c *state.Claim) (quota.Vector, placement.Choice) {
	o, possible := cr.hierarchy.OptionAt(c.Asker.Class, c.Where)
	if !possible {
		return quota.Vector{}, nil
	}
	return o.MinNeed, o.Where
}

// awaitsOthers reports whether a claim whose targets are gone will fit as planned once others have released their
// quota, such as the targets of earlier claims. If so, it makes the claim wait for these, so that the claim keeps what
// its own targets have released.
func (cr *claimRound) awaitsOthers(c *state.Claim) bool {
	need, planned := cr.planned(c)
	if planned == nil {
		return false
	}
	uncharge := cr.claims.Charge(cr.kept)
	awaited := cr.holders.Awaited(cr.holders.TerminatingTargets(cr.tree), c.Asker.Class.Queue, need)
	uncharge()
	if len(awaited) == 0 {
		return false
	}
	c.Targets, c.Awaited = nil, awaited
	return true
}

// granteeOf returns the asker that is granted what is claimed. This is a more urgent one of the same class, if it has
// asked in the meantime.
func granteeOf(c *state.Claim) *state.Asker {
	if first := c.Asker.Class.First(); first.Claim == nil {
		return first
	}
	return c.Asker
}
