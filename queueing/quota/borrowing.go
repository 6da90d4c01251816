// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import "slices"

// Borrowing reports whether n uses more than its own quota in some cell. A root cannot borrow.
func (f *Forest) Borrowing(n NodeID) bool {
	nd := &f.nodes[n]
	if nd.Parent == None {
		return false
	}
	for c := range nd.rows {
		if r := &nd.rows[c]; satSub(r.subtree, r.usage.amount()) < 0 {
			return true
		}
	}
	return false
}

// WithinQuota reports whether n, or some node above it other than the root, would stay within its own quota if the need
// were charged to n, in every cell in which n is blocked now.
func (f *Forest) WithinQuota(n NodeID, v Vector) bool {
	for at := n; f.nodes[at].Parent != None; at = f.nodes[at].Parent {
		if !slices.ContainsFunc(v.columns, func(e entry) bool { return f.blocker(n, e, None) != None && !e.staysWithin(f, n, at) }) {
			return true
		}
	}
	return false
}

// staysWithin reports whether the quota of node at is sufficient for what n and the nodes in between would pass up of
// the need.
func (e entry) staysWithin(f *Forest, n, at NodeID) bool {
	left := e.value
	for ; n != at; n = f.nodes[n].Parent {
		left = f.nodes[n].rows[e.column].passedOn(left)
	}
	r := &f.nodes[at].rows[e.column]
	return satSub(r.subtree, Plus(r.usage.amount(), left)) >= 0
}

// Over reports whether n uses more than its own quota in some cell of the need, among those of held if given.
func (f *Forest) Over(n NodeID, v Vector, held ...Vector) bool {
	for _, e := range v.columns {
		r := &f.nodes[n].rows[e.column]
		if e.limited && satSub(r.subtree, r.usage.amount()) < 0 && (len(held) == 0 || held[0].has(e.column)) {
			return true
		}
	}
	return false
}
