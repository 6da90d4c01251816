// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"slices"
)

// row holds the numbers of one cell at one node. See the package comment for the formulas.
type row struct {
	nominal, borrowing, lending int64
	// subtree, lendable (the part of it that may be lent), local and potential follow from the limits.
	subtree, lendable, local, potential int64
	// usage is the node's own use plus what the children pass up; own is what is charged to this very node.
	usage, own total
	// beyond is how much all children together use beyond their quotas.
	beyond total
}

// usageInParent returns the part of the usage that counts in the parent.
func (r *row) usageInParent() int64 {
	return max(0, r.usage.amount()-r.local)
}

// usageBeyond returns how much of the usage counts in the parent beyond what the node lends to it.
func (r *row) usageBeyond() int64 {
	return max(0, satSub(r.usageInParent(), r.lendable))
}

// passedOn returns how much more would count in the parent if the node used this much more.
func (r *row) passedOn(more int64) int64 {
	return max(0, Plus(r.usage.amount(), more)-r.local) - r.usageInParent()
}

// localAvailable returns the unused part of local. It is never negative.
func (r *row) localAvailable() int64 {
	return max(0, satSub(r.local, r.usage.amount()))
}

// borrowingHeadroom returns how much more may count in the parent according to this node's borrowing limit. It is
// negative if the limit is already exceeded.
func (r *row) borrowingHeadroom() int64 {
	if r.borrowing == Unlimited {
		return Unlimited
	}
	return satAdd(satSub(r.lendable, r.usageInParent()), r.borrowing)
}

// Amount is a need in one cell.
type Amount struct {
	Cell
	Value int64
}

// Vector is a need in several cells, prepared for one tree of one Forest.
type Vector struct {
	columns []entry
	// forbidden are needs of a limited resource in a flavor that the tree does not have. They can never be granted.
	forbidden []Amount
	// unlimited are needs in other cells without a column, which are not limited.
	unlimited []Amount
}

type entry struct {
	column int
	value  int64
	// limited is false if only other parts of the tree limit this resource: the column is charged, but not compared.
	limited bool
}

// Prepare returns a Vector for the tree of n. It leaves out amounts of 0 or less and sums amounts of the same cell.
func (f *Forest) Prepare(n NodeID, amounts []Amount) Vector {
	var v Vector
	nd := &f.nodes[n]
	for _, a := range Summed(amounts) {
		column, found := f.trees[nd.tree].column[a.Cell]
		limited := nd.names.resources[a.Resource]
		switch {
		case found:
			v.columns = append(v.columns, entry{column, a.Value, limited})
		case limited:
			v.forbidden = append(v.forbidden, a)
		default:
			v.unlimited = append(v.unlimited, a)
		}
	}
	return v
}

// Summed returns the positive amounts in the order of their cells, one per cell.
func Summed(amounts []Amount) []Amount {
	sorted := slices.Clone(amounts)
	slices.SortStableFunc(sorted, func(a, b Amount) int { return compareCells(a.Cell, b.Cell) })
	out := sorted[:0]
	for _, a := range sorted {
		a.Value = min(a.Value, MaxAmount)
		switch last := len(out) - 1; {
		case a.Value <= 0:
		case last >= 0 && out[last].Cell == a.Cell:
			out[last].Value = Plus(out[last].Value, a.Value)
		default:
			out = append(out, a)
		}
	}
	return out
}

// Block is the limit that blocks a need.
type Block struct {
	// Cell is the cell that lacks quota, and Need the need in it.
	Cell Cell
	Need int64
	// Node is the node with the limit: the asking one or an ancestor.
	Node NodeID
}

// Blocked reports whether the need does not fit into n now, and which limit blocks it: in the first such cell, that of
// the node nearest to n.
func (f *Forest) Blocked(n NodeID, v Vector) (Block, bool) {
	if len(v.forbidden) > 0 {
		return Block{v.forbidden[0].Cell, v.forbidden[0].Value, n}, true
	}
	for _, e := range v.columns {
		if at := f.blocker(n, e, None); at != None {
			return Block{f.trees[f.nodes[n].tree].cells[e.column], e.value, at}, true
		}
	}
	return Block{}, false
}

// Needs returns the needs of a Vector in the cells that are limited for n, in order, whether they fit or not.
func (f *Forest) Needs(n NodeID, v Vector) []Block {
	var needs []Block
	for _, e := range v.columns {
		if e.limited {
			needs = append(needs, Block{f.trees[f.nodes[n].tree].cells[e.column], e.value, n})
		}
	}
	return needs
}

// StillBlocked reports whether the limit of an earlier Block still blocks the need. Callers that report blocks use it
// to keep naming the first one as long as it holds.
func (f *Forest) StillBlocked(n NodeID, v Vector, b Block) bool {
	if b.Node == None {
		return false
	}
	for _, e := range v.columns {
		if f.trees[f.nodes[n].tree].cells[e.column] == b.Cell {
			return e.value == b.Need && f.blocker(n, e, b.Node) != None
		}
	}
	return false
}

// blocker returns the first node, from n upward, at which the need does not fit, or None. If only is not None, only
// that node counts.
//
// At each node, the rest of the need that exceeds the node's own local part is compared with what may still count in
// the parent. This computes need ≤ available(n), node by node. The rest may become negative, because a deficit of an
// ancestor reduces what its descendants may use, even of their local part.
func (f *Forest) blocker(n NodeID, e entry, only NodeID) NodeID {
	if !e.limited {
		return None
	}
	left := e.value
	for {
		nd := &f.nodes[n]
		r := &nd.rows[e.column]
		var available int64
		if nd.Parent == None {
			available = satSub(r.subtree, r.usage.amount())
		} else {
			left = satSub(left, r.localAvailable())
			available = r.borrowingHeadroom()
		}
		if left > available && (only == None || only == n) {
			return n
		}
		if nd.Parent == None {
			return None
		}
		n = nd.Parent
	}
}

// Exceeds reports whether n could not meet the need even if nothing were in use, and in which cell. The Node of the
// Block is n.
func (f *Forest) Exceeds(n NodeID, v Vector) (Block, bool) {
	if len(v.forbidden) > 0 {
		return Block{v.forbidden[0].Cell, v.forbidden[0].Value, n}, true
	}
	for _, e := range v.columns {
		if e.limited && e.value > f.nodes[n].rows[e.column].potential {
			return Block{f.trees[f.nodes[n].tree].cells[e.column], e.value, n}, true
		}
	}
	return Block{}, false
}

// BorrowingDistance returns how far up the tree n borrows if the need is charged to it. It is the height of the lowest
// node, n or one above it, whose quota is sufficient for the need, or else of the root. It is 0 if n's own quota is
// sufficient. It never decreases while more is charged to the tree.
func (f *Forest) BorrowingDistance(n NodeID, v Vector) int {
	distance := 0
	for _, e := range v.columns {
		if e.limited {
			distance = max(distance, f.nodes[f.lender(n, e)].height)
		}
	}
	return distance
}

// lender returns the first node, from n upward, whose quota is sufficient for what the local parts below it leave of
// the need, or the root if there is none.
func (f *Forest) lender(n NodeID, e entry) NodeID {
	for left := e.value; ; n = f.nodes[n].Parent {
		r := &f.nodes[n].rows[e.column]
		if f.nodes[n].Parent == None || left <= satSub(r.subtree, r.usage.amount()) {
			return n
		}
		left = satSub(left, r.localAvailable())
	}
}

// Add charges the need to n, whether it fits or not.
func (f *Forest) Add(n NodeID, v Vector) { f.charge(n, v, (*total).add) }

// Remove reverts an Add to the same node, exactly: the forest is as if it had never been charged.
func (f *Forest) Remove(n NodeID, v Vector) { f.charge(n, v, (*total).sub) }

func (f *Forest) charge(n NodeID, v Vector, change func(*total, int64)) {
	for _, e := range v.columns {
		change(&f.nodes[n].rows[e.column].own, e.value)
		f.propagate(n, e, change)
	}
	nd := &f.nodes[n]
	for _, a := range v.forbidden {
		f.trees[nd.tree].chargeUnlimited(nd, a, change)
	}
	for _, a := range v.unlimited {
		f.trees[nd.tree].chargeUnlimited(nd, a, change)
	}
}

// propagate changes the usage of n, and that of its ancestors by the change of what is passed up.
func (f *Forest) propagate(n NodeID, e entry, change func(*total, int64)) {
	amount := e.value
	for n != None && amount > 0 {
		r, parent := &f.nodes[n].rows[e.column], f.nodes[n].Parent
		before, beyond := r.usageInParent(), r.usageBeyond()
		change(&r.usage, amount)
		amount = max(r.usageInParent()-before, before-r.usageInParent())
		if parent != None {
			up := &f.nodes[parent].rows[e.column]
			up.beyond.sub(beyond)
			up.beyond.add(r.usageBeyond())
		}
		n = parent
	}
}

func (t *tree) chargeUnlimited(nd *node, a Amount, change func(*total, int64)) {
	if nd.unlimitedUsage == nil {
		nd.unlimitedUsage = map[Cell]*total{}
	}
	used := nd.unlimitedUsage[a.Cell]
	if used == nil {
		used = &total{}
		nd.unlimitedUsage[a.Cell] = used
		t.countUnlimited(a.Cell, 1)
	}
	change(used, a.Value)
	if *used == (total{}) {
		delete(nd.unlimitedUsage, a.Cell)
		t.countUnlimited(a.Cell, -1)
	}
}

func (t *tree) countUnlimited(cell Cell, by int) {
	if _, limited := t.limits(cell.Resource); limited {
		t.withoutFlavor += by
	}
}

// ShortPart returns the part of the need that does not fit into n now.
func (f *Forest) ShortPart(n NodeID, v Vector) Vector {
	out := Vector{forbidden: v.forbidden}
	for _, e := range v.columns {
		if f.blocker(n, e, None) != None {
			out.columns = append(out.columns, e)
		}
	}
	return out
}

// OwnPart returns the part of the need for which n's own quota is sufficient, regardless of what others use.
func (f *Forest) OwnPart(n NodeID, v Vector) Vector {
	var out Vector
	for _, e := range v.columns {
		r := &f.nodes[n].rows[e.column]
		e.value = min(e.value, max(0, satSub(r.subtree, r.usage.amount())))
		if e.limited && e.value > 0 {
			out.columns = append(out.columns, e)
		}
	}
	return out
}

// Empty reports whether nothing is needed.
func (v Vector) Empty() bool {
	return len(v.columns) == 0 && len(v.forbidden) == 0 && len(v.unlimited) == 0
}

// Overlaps reports whether two needs prepared for the same tree have a column in common.
func (v Vector) Overlaps(other Vector) bool {
	return slices.ContainsFunc(v.columns, func(e entry) bool { return other.has(e.column) })
}

func (v Vector) has(column int) bool {
	return slices.ContainsFunc(v.columns, func(e entry) bool { return e.column == column })
}
