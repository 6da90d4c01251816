// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

// AppendShortfalls appends how much quota is short for the need at n and at each node above it, cell by cell; 0 where
// there is enough. For the same n and v the order is always the same.
func (f *Forest) AppendShortfalls(out []int64, n NodeID, v Vector) []int64 {
	for _, e := range v.columns {
		if !e.limited {
			continue
		}
		left := e.value
		for at := n; at != None; at = f.nodes[at].Parent {
			r := &f.nodes[at].rows[e.column]
			available := satSub(r.subtree, r.usage.amount())
			if f.nodes[at].Parent != None {
				left, available = satSub(left, r.localAvailable()), r.borrowingHeadroom()
			}
			out = append(out, shortfall(left, available))
		}
	}
	return out
}

// AppendSubtreeShortfalls appends what keeps n's own quota from meeting the need, cell by cell: at n how much its quota
// is short, and at each node above by how much the children's usage beyond their quotas exceeds that node's own quota.
// While nothing above blocks, n may use its quota regardless of what other nodes use within theirs. For the same n and
// v the order is always the same.
func (f *Forest) AppendSubtreeShortfalls(out []int64, n NodeID, v Vector) []int64 {
	for _, e := range v.columns {
		if !e.limited {
			continue
		}
		r := &f.nodes[n].rows[e.column]
		out = append(out, shortfall(e.value, satSub(r.subtree, r.usage.amount())))
		for at := f.nodes[n].Parent; at != None; at = f.nodes[at].Parent {
			r := &f.nodes[at].rows[e.column]
			out = append(out, shortfall(r.beyond.amount(), r.nominal))
		}
	}
	return out
}

// shortfall returns how much of a need is not available. Both arguments may be negative.
func shortfall(left, available int64) int64 {
	switch {
	case left <= available:
		return 0
	case available < 0 && left > MaxAmount+available:
		return MaxAmount
	}
	return left - available
}
