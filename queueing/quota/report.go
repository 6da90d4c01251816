// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"math"
	"slices"
)

// Find returns the node with this name, or None. It also finds deleted nodes that are in use.
func (f *Forest) Find(name string) NodeID {
	if n, found := f.index[name]; found {
		return n
	}
	return None
}

// Nodes returns the number of nodes. Their IDs are 0 to Nodes−1, in the order of their names.
func (f *Forest) Nodes() int { return len(f.nodes) }

// Name returns the name of a node.
func (f *Forest) Name(n NodeID) string { return f.nodes[n].name }

// Parent returns the node in which the usage of n counts, or None. A node of a cycle has none.
func (f *Forest) Parent(n NodeID) NodeID { return f.nodes[n].parent }

// ConfiguredParent returns the name of the parent as configured, whether it exists or not.
func (f *Forest) ConfiguredParent(n NodeID) string { return f.nodes[n].configuredParent }

// Root returns the topmost node of n's tree.
func (f *Forest) Root(n NodeID) NodeID { return f.nodes[n].root }

// DeletedInUse reports whether the node was deleted and is only still charged.
func (f *Forest) DeletedInUse(n NodeID) bool { return f.nodes[n].deletedInUse }

// Children returns the nodes directly below n that are not deleted, in the order of their names. The caller must not
// modify the slice.
func (f *Forest) Children(n NodeID) []NodeID { return f.nodes[n].children }

// Problem returns why n cannot admit anything, and the node with the problem, which is n or an ancestor (None without a
// problem).
func (f *Forest) Problem(n NodeID) (Problem, NodeID) { return f.nodes[n].problem, f.nodes[n].culprit }

// Limit is the effective limit of a node in one cell.
type Limit struct {
	// Nominal is the quota of the node, including what its children lend to it.
	Nominal int64
	// Borrowing bounds what may be used above Nominal; Unlimited means no bound. It is 0 for a root, which cannot
	// borrow.
	Borrowing int64
	// Potential is the most that the node could ever hold.
	Potential int64
}

// Max returns the largest usage that the limits of this node alone allow.
func (l Limit) Max() int64 { return satAdd(l.Nominal, l.Borrowing) }

// Limit returns the limits of n in a cell. They are all Unlimited for a resource that the tree does not limit, and all
// 0 for a flavor that it does not have.
func (f *Forest) Limit(n NodeID, cell Cell) Limit {
	nd := &f.nodes[n]
	if !nd.names.resources[cell.Resource] {
		return Limit{Unlimited, Unlimited, Unlimited}
	}
	column, found := f.trees[nd.tree].column[cell]
	if !found {
		return Limit{}
	}
	r := &nd.rows[column]
	l := Limit{r.subtree, r.borrowing, r.potential}
	if nd.parent == None {
		l.Borrowing = 0
	}
	return l
}

// Available returns how much more n may use in a cell now. It is negative if the usage exceeds the quota.
func (f *Forest) Available(n NodeID, cell Cell) int64 {
	column, found := f.trees[f.nodes[n].tree].column[cell]
	if !found || !f.nodes[n].names.resources[cell.Resource] {
		return f.Limit(n, cell).Nominal
	}
	// available(n) = free + min(available(parent), outside), unrolled: the minimum over n and all ancestors of the sum
	// of the local parts up to there and of what may still be passed up there.
	least, free := Unlimited, int64(0)
	for {
		r := &f.nodes[n].rows[column]
		if f.nodes[n].parent == None {
			return min(least, satAdd(satSub(r.subtree, r.usage.amount()), free))
		}
		free = satAdd(free, r.localAvailable())
		least = min(least, satAdd(r.borrowingHeadroom(), free))
		n = f.nodes[n].parent
	}
}

// Lent returns the unused part of n's own quota (its nominal quota and what its children lend to it) that n could not
// use now because other nodes are using it. It is 0 for a root, whose unused quota is free.
func (f *Forest) Lent(n NodeID, cell Cell) int64 {
	nd := &f.nodes[n]
	column, found := f.trees[nd.tree].column[cell]
	if !found || !nd.names.resources[cell.Resource] {
		return 0
	}
	r := &nd.rows[column]
	unused := max(0, satSub(r.subtree, r.usage.amount()))
	return unused - min(unused, max(0, f.Available(n, cell)))
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
			if nd.deletedInUse && !f.nodes[c].deletedInUse {
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
			uses = append(uses, Use{cell, s.used[c].amount(), f.Limit(n, cell).Nominal})
		}
	}
	for cell, u := range s.unlimited {
		uses = append(uses, Use{cell, u.amount(), f.Limit(n, cell).Nominal})
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
