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

// WithinQuota reports whether n, or some node above it other than the root, would stay within its own quota if the need
// were charged to n, in every cell in which n is blocked now.
func (f *Forest) WithinQuota(n NodeID, v Vector) bool {
	for at := n; f.nodes[at].parent != None; at = f.nodes[at].parent {
		if !slices.ContainsFunc(v.columns, func(e entry) bool { return f.blocker(n, e, None) != None && !e.staysWithin(f, n, at) }) {
			return true
		}
	}
	return false
}

// OwnHeadroom returns the most that n may use in addition in a cell while n, or some node above it other than the root,
// stays within its own quota; it is negative if none does.
func (f *Forest) OwnHeadroom(n NodeID, cell Cell) int64 {
	column, found := f.trees[f.nodes[n].tree].column[cell]
	if !found {
		return Unlimited
	}
	most, local := int64(-1), int64(0)
	for ; f.nodes[n].parent != None; n = f.nodes[n].parent {
		r := &f.nodes[n].rows[column]
		if left := satSub(r.subtree, r.usage.amount()); left >= 0 {
			most = max(most, satAdd(left, local))
		}
		local = satAdd(local, r.localAvailable())
	}
	return most
}

// staysWithin reports whether the quota of node at is sufficient for what n and the nodes in between would pass up of
// the need.
func (e entry) staysWithin(f *Forest, n, at NodeID) bool {
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
