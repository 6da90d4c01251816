// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"

	"github.com/sparkgate/sparkgate/queueing/quota"
)

// claimRound evaluates the claims of a tree, one after the other, at the beginning of a cycle.
type claimRound struct {
	*admission
	tree *tree
	// kept are the evaluated claims that still wait, later those that are not evaluated yet.
	kept, later []*claim
}

// admitClaimed grants claimed quota that has become free, in each case to the first ask of the claim's equivalence
// class, and charges the remaining claims. The returned function undoes these charges.
func (ad *admission) admitClaimed(t *tree, out []Decision, max int) (decisions []Decision, uncharge func()) {
	cr := &claimRound{admission: ad, tree: t, later: ad.claims.activeClaims(t)}
	cr.refreshReservations()
	for len(cr.later) > 0 {
		c := cr.later[0]
		cr.later = cr.later[1:]
		class, grantee := c.app.class, c.grantee()
		ad.reservations.claimant = grantee
		where, elastic, fits := cr.fit(c)
		switch {
		case fits && class.atMaxRunning() == nil && (max <= 0 || len(out) < max):
			ad.claims.cancelClaim(c)
			ad.assume(grantee, where, elastic)
			out = append(out, Decision{Key: grantee.key, Root: t.root, Grant: grantee.held.grant})
		case fits && class.atMaxRunning() == nil, ad.claims.isPending(c), !fits && cr.awaitsOthers(c):
			cr.kept = append(cr.kept, c)
		default:
			ad.claims.cancelClaim(c)
		}
	}
	ad.reservations.claimant = nil
	return out, ad.claims.chargeClaims(cr.kept)
}

// refreshReservations updates the reservations if there are claims. A claim that is granted early, or beyond its
// minimum, must not delay a head whose time has come since the last cycle.
func (cr *claimRound) refreshReservations() {
	if len(cr.later) > 0 {
		uncharge := cr.claims.chargeClaims(cr.later)
		cr.reservations.updateReservations(cr.tree)
		uncharge()
	}
}

// fit returns how a claim can be granted now.
//
// Once its targets have released what was reclaimed, the claim is granted as planned, and reservations and other claims
// are not checked. For anything beyond what it has reclaimed, it competes like any other ask with the claims and
// reservations of others: more pods than the minimum, another placement, or a grant while its targets still hold what
// they must release.
func (cr *claimRound) fit(c *claim) (where placement, elastic int32, fits bool) {
	class := c.app.class
	need, planned := cr.planned(c)
	if planned != nil {
		if _, blocked := cr.hierarchy.forest.Blocked(class.queue.node, need); blocked {
			planned = nil
		}
	}
	pending := cr.claims.isPending(c)
	if class.hasChoice() || pending && planned != nil {
		uncharge := cr.claims.chargeClaims(slices.Concat(cr.kept, cr.later))
		where, elastic, fits = cr.admission.fit(class)
		uncharge()
	}
	if fits || pending || planned == nil {
		return where, elastic, fits
	}
	return planned, class.signature.minCount(), true
}

// planned returns the current placement of a claim and its minimum need there, or nil if the pods can no longer be
// placed like that.
func (cr *claimRound) planned(c *claim) (quota.Vector, placement) {
	o, possible := cr.hierarchy.optionAt(c.app.class, c.where)
	if !possible {
		return quota.Vector{}, nil
	}
	return o.minNeed, o.where
}

// awaitsOthers reports whether a claim whose targets are gone will fit as planned once others have released their
// quota, such as the targets of earlier claims. If so, it makes the claim wait for these, so that the claim keeps what
// its own targets have released.
func (cr *claimRound) awaitsOthers(c *claim) bool {
	need, planned := cr.planned(c)
	if planned == nil {
		return false
	}
	uncharge := cr.claims.chargeClaims(cr.kept)
	awaited := cr.holders.awaited(cr.holders.terminatingTargets(cr.tree), c.app.class.queue, need)
	uncharge()
	if len(awaited) == 0 {
		return false
	}
	c.targets, c.awaited = nil, awaited
	return true
}

// hasChoice reports whether there is more than one way to grant an ask of a class: another placement, or more pods.
func (class *equivalenceClass) hasChoice() bool {
	return class.signature.elastic >= 0 || len(class.options) > 1 || class.placements != nil
}

// grantee returns the asker that is granted what is claimed. This is a more urgent one of the same class, if it has
// asked in the meantime.
func (c *claim) grantee() *app {
	if first := c.app.class.first(); first.claim == nil {
		return first
	}
	return c.app
}
