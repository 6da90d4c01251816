// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math/bits"
	"slices"
)

// Share is what a node has borrowed in relation to what its parent could have, in the resource in which that is most: the dominant
// share (Ghodsi et al., "Dominant Resource Fairness", NSDI 2011). The zero Share is that of a node that borrows nothing.
type Share struct {
	// Borrowed is the use above the node's own quota, in all flavors together.
	Borrowed int64
	// Lendable is the most that the parent could ever hold, in all flavors together.
	Lendable int64
}

// Share returns the dominant share of n. That of a root is zero: there is nobody to borrow from.
func (f *Forest) Share(n NodeID) Share {
	nd := &f.nodes[n]
	if nd.parent == None {
		return Share{}
	}
	up := &f.nodes[nd.parent]
	byResource := map[string]*Share{}
	var order []string
	for c, cell := range f.trees[nd.tree].cells {
		s := byResource[cell.Resource]
		if s == nil {
			s = &Share{}
			byResource[cell.Resource] = s
			order = append(order, cell.Resource)
		}
		r := &nd.rows[c]
		s.Borrowed = Plus(s.Borrowed, max(0, reduce(r.usage.amount(), r.subtree)))
		s.Lendable = extend(s.Lendable, up.rows[c].potential)
	}
	var most Share
	slices.Sort(order)
	for _, resource := range order {
		if s := *byResource[resource]; s.Borrowed > 0 && s.Lendable != Unlimited && CompareShares(s, 1, most, 1) > 0 {
			most = s
		}
	}
	return most
}

// CompareShares compares two shares, each divided by the weight of its node: negative if the first is smaller. A weight of 0 or less
// makes every share that is not zero greater than those with a weight; so does a parent that could have nothing.
func CompareShares(a Share, weightA int32, b Share, weightB int32) int {
	left, right := a.scaled(b, weightB), b.scaled(a, weightA)
	infinite := func(s Share, weight int32) bool { return s.Borrowed > 0 && (s.Lendable <= 0 || weight <= 0) }
	switch x, y := infinite(a, weightA), infinite(b, weightB); {
	case x && y:
		return 0
	case x:
		return 1
	case y:
		return -1
	}
	return slices.Compare(left[:], right[:])
}

// scaled is Borrowed × the other's Lendable × the other's weight, exactly: 64 + 64 + 32 bits, the highest word first. A share of zero
// has no denominator, which is then 1.
func (s Share) scaled(other Share, weight int32) [3]uint64 {
	lendable, times := uint64(max(1, other.Lendable)), uint64(max(1, weight))
	high, low := bits.Mul64(uint64(max(0, s.Borrowed)), lendable)
	carry, low := bits.Mul64(low, times)
	top, middle := bits.Mul64(high, times)
	middle, over := bits.Add64(middle, carry, 0)
	return [3]uint64{top + over, middle, low}
}
