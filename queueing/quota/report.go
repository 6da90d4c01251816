// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import "slices"

// Use is the usage of one cell.
type Use struct {
	Cell
	// Used is the usage of the node and all nodes below it.
	Used int64
	// Nominal is the nominal quota of the node and all nodes below it, whether they lend it or not; Unlimited if there
	// is no limit.
	Nominal int64
}

// Borrowed returns the usage above the nominal quota.
func (u Use) Borrowed() int64 { return max(0, satSub(u.Used, u.Nominal)) }

// Uses returns the usage in every cell that is limited at n, and in every other cell that is in use, in the order of
// cells. For children of a deleted node it counts only what counts in that node.
func (f *Forest) Uses(n NodeID) []Use {
	cells := f.trees[f.nodes[n].tree].cells
	s := sums{used: make([]total, len(cells)), nominal: make([]int64, len(cells)), unlimited: map[Cell]*total{}}
	for next := []NodeID{n}; len(next) > 0; next = next[1:] {
		nd := &f.nodes[next[0]]
		s.addOwn(nd)
		for _, c := range nd.below {
			if nd.DeletedInUse && !f.nodes[c].DeletedInUse {
				s.addUsageInParent(&f.nodes[c])
			} else {
				next = append(next, c)
			}
		}
	}
	uses := make([]Use, 0, len(cells)+len(s.unlimited))
	around := f.nodes[n].names
	for c, cell := range cells {
		switch {
		case around.flavors[cell.Flavor] && around.resources[cell.Resource]:
			uses = append(uses, Use{cell, s.used[c].amount(), s.nominal[c]})
		case s.used[c] != (total{}):
			uses = append(uses, Use{cell, s.used[c].amount(), f.Account(n, cell).Limit().Nominal})
		}
	}
	for cell, u := range s.unlimited {
		uses = append(uses, Use{cell, u.amount(), f.Account(n, cell).Limit().Nominal})
	}
	slices.SortFunc(uses, func(a, b Use) int { return compareCells(a.Cell, b.Cell) })
	return uses
}

// sums holds sums over nodes, by column, and by cell for cells without a column.
type sums struct {
	used      []total
	nominal   []int64
	unlimited map[Cell]*total
}

func (s *sums) addOwn(n *node) {
	for c := range n.rows {
		s.used[c].addTotal(n.rows[c].own)
		s.nominal[c] = satAdd(s.nominal[c], n.rows[c].nominal)
	}
	for cell, u := range n.unlimitedUsage {
		if s.unlimited[cell] == nil {
			s.unlimited[cell] = &total{}
		}
		s.unlimited[cell].addTotal(*u)
	}
}

func (s *sums) addUsageInParent(n *node) {
	for c := range n.rows {
		s.used[c].add(n.rows[c].usageInParent())
	}
}
