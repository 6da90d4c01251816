// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import "slices"

// Borrowing reports whether n uses more than its own quota in some cell. A root cannot borrow.
func (f *Forest) Borrowing(n NodeID) bool {
	nd := &f.nodes[n]
	if nd.parent == None {
		return false
	}
	for c := range nd.rows {
		if r := &nd.rows[c]; satSub(r.subtree, r.usage.amount()) < 0 {
			return true
		}
	}
	return false
}

// WithinQuota reports whether n, or a node above it that is not a root, would stay within its own quota if the need were
// charged to n, in each cell in which n is blocked now.
func (f *Forest) WithinQuota(n NodeID, v Vector) bool {
	for at := n; f.nodes[at].parent != None; at = f.nodes[at].parent {
		if !slices.ContainsFunc(v.columns, func(e entry) bool { return f.blocker(n, e, None) != None && !f.quotaHolds(n, at, e) }) {
			return true
		}
	}
	return false
}

// quotaHolds reports whether the quota of a node has enough for what n and the nodes between would pass on of the need.
func (f *Forest) quotaHolds(n, at NodeID, e entry) bool {
	left := e.value
	for ; n != at; n = f.nodes[n].parent {
		left = f.nodes[n].rows[e.column].passedOn(left)
	}
	r := &f.nodes[at].rows[e.column]
	return satSub(r.subtree, Plus(r.usage.amount(), left)) >= 0
}

// Over reports whether n uses more than its own quota in some cell of the need.
func (f *Forest) Over(n NodeID, v Vector) bool {
	for _, e := range v.columns {
		r := &f.nodes[n].rows[e.column]
		if e.limited && satSub(r.subtree, r.usage.amount()) < 0 {
			return true
		}
	}
	return false
}
