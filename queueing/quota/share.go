// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math"
	"math/bits"
	"slices"
)

// Share is what a node has borrowed in relation to what its parent could have, in the resource for which this ratio is
// highest: the dominant share (Ghodsi et al., "Dominant Resource Fairness", NSDI 2011). The zero Share is that of a
// node that borrows nothing.
type Share struct {
	// Borrowed is the usage above the node's own quota, summed over all flavors.
	Borrowed int64
	// Lendable is the most that the parent could ever hold, summed over all flavors.
	Lendable int64
}

// Share returns the dominant share of n. It is zero for a root, which cannot borrow. Usage in a flavor that the tree
// does not have counts as borrowed.
func (f *Forest) Share(n NodeID) Share {
	nd := &f.nodes[n]
	if nd.Parent == None {
		return Share{}
	}
	up, t := &f.nodes[nd.Parent], &f.trees[nd.tree]
	var few [4]Share // enough for nearly all trees, without an allocation
	shares := append(few[:0], make([]Share, len(t.resources))...)
	for c, of := range t.resourceOf {
		s, r := &shares[of], &nd.rows[c]
		s.Borrowed = Plus(s.Borrowed, max(0, satSub(r.usage.amount(), r.subtree)))
		s.Lendable = satAdd(s.Lendable, up.rows[c].potential)
	}
	if t.withoutFlavor > 0 {
		addUnlimited(f, n, shares)
	}
	var most Share
	for i, s := range shares {
		if !nd.names.resources[t.resources[i]] {
			continue // it is limited in another part of the tree only, beyond a deleted node
		}
		if s.Borrowed > 0 && s.Lendable != Unlimited && CompareShares(s, 1, most, 1) > 0 {
			most = s
		}
	}
	return most
}

// Weighted returns the share divided by the weight of its node, as a number for users. Decisions use CompareShares,
// which is exact. As there, it is infinite without a weight, or if the parent could have nothing.
func (s Share) Weighted(weight int32) float64 {
	switch {
	case s.Borrowed <= 0:
		return 0
	case s.Lendable <= 0 || weight <= 0:
		return math.Inf(1)
	}
	return float64(s.Borrowed) / float64(s.Lendable) / float64(weight)
}

// addUnlimited adds what n and the nodes below it use of limited resources in cells without a column.
func addUnlimited(f *Forest, n NodeID, shares []Share) {
	nd := &f.nodes[n]
	for cell, used := range nd.unlimitedUsage {
		if of, limited := f.trees[nd.tree].limits(cell.Resource); limited {
			shares[of].Borrowed = Plus(shares[of].Borrowed, used.amount())
		}
	}
	for _, c := range nd.below {
		addUnlimited(f, c, shares)
	}
}

// limits reports whether a resource is limited somewhere in the tree, and returns its index in resources.
func (t *tree) limits(resource string) (of int, limited bool) {
	return slices.BinarySearch(t.resources, resource)
}

// CompareShares compares two shares, each divided by the weight of its node. The result is negative if the first is
// smaller. A share that is not zero is infinite if its weight is 0 or less, or if the parent could have nothing.
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

// scaled returns Borrowed × the other's Lendable × the other's weight, exactly: 64 + 64 + 32 bits, most significant
// word first. A zero share has no denominator, so it counts as 1.
func (s Share) scaled(other Share, weight int32) [3]uint64 {
	lendable, times := uint64(max(1, other.Lendable)), uint64(max(1, weight))
	high, low := bits.Mul64(uint64(max(0, s.Borrowed)), lendable)
	carry, low := bits.Mul64(low, times)
	top, middle := bits.Mul64(high, times)
	middle, over := bits.Add64(middle, carry, 0)
	return [3]uint64{top + over, middle, low}
}
