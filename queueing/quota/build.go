// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"maps"
	"slices"
	"strings"
)

// NewForest builds a forest. It accepts any input: of several nodes with the same name the first counts; a node whose
// parent is missing, and each node of a cycle, becomes a root of its own that is marked with its problem.
func NewForest(nodes []Node) *Forest {
	configs := slices.Clone(nodes)
	slices.SortStableFunc(configs, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	configs = slices.CompactFunc(configs, func(a, b Node) bool { return a.Name == b.Name })

	b := &builder{nodes: make([]node, len(configs)), index: make(map[string]NodeID, len(configs))}
	for i, c := range configs {
		b.index[c.Name] = NodeID(i)
		b.nodes[i].Place = Place{Name: c.Name, ConfiguredParent: c.Parent, DeletedInUse: c.DeletedInUse, Parent: None, Culprit: None}
	}
	b.linkParents()
	b.breakCycles()
	order := b.topologicalOrder()
	b.assignColumns(configs, order)
	b.setLimits(configs)
	b.deriveQuotas(order)
	return (*Forest)(b)
}

// builder is a Forest that is being built.
type builder Forest

// linkParents resolves parents, and marks nodes whose parent is missing. A deleted node is charged like a parent, but
// counts as missing.
func (b *builder) linkParents() {
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.ConfiguredParent == "" {
			continue
		}
		p, found := b.index[n.ConfiguredParent]
		if found {
			n.Parent = p
		}
		if !n.DeletedInUse && (!found || b.nodes[p].DeletedInUse) {
			n.Problem, n.Culprit = ParentNotFound, NodeID(i)
		}
	}
}

// breakCycles turns each node that is its own ancestor into a root.
func (b *builder) breakCycles() {
	const unseen, onPath, done = 0, 1, 2
	state := make([]int, len(b.nodes))
	for i := range b.nodes {
		var path []NodeID
		n := NodeID(i)
		for n != None && state[n] == unseen {
			state[n] = onPath
			path = append(path, n)
			n = b.nodes[n].Parent
		}
		if n != None && state[n] == onPath {
			b.breakCycle(path[slices.Index(path, n):])
		}
		for _, p := range path {
			state[p] = done
		}
	}
}

// breakCycle breaks a cycle at its deleted nodes, or at every node if none is deleted.
func (b *builder) breakCycle(members []NodeID) {
	someDeleted := slices.ContainsFunc(members, func(n NodeID) bool { return b.nodes[n].DeletedInUse })
	for _, id := range members {
		n := &b.nodes[id]
		if someDeleted && !n.DeletedInUse {
			continue
		}
		n.Parent = None
		if n.Problem == NoProblem && !n.DeletedInUse {
			n.Problem, n.Culprit = Cycle, id
		}
	}
}

// topologicalOrder returns the nodes ordered so that each comes after its parent. It also sets roots, children and
// inherited problems.
func (b *builder) topologicalOrder() []NodeID {
	order := make([]NodeID, 0, len(b.nodes))
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.Parent == None {
			n.Root = NodeID(i)
			order = append(order, NodeID(i))
			continue
		}
		parent := &b.nodes[n.Parent]
		parent.below = append(parent.below, NodeID(i))
		if !n.DeletedInUse {
			parent.Children = append(parent.Children, NodeID(i))
		}
	}
	for next := 0; next < len(order); next++ {
		parent := &b.nodes[order[next]]
		for _, c := range parent.below {
			child := &b.nodes[c]
			child.Root = parent.Root
			if child.Problem == NoProblem {
				child.Problem, child.Culprit = parent.Problem, parent.Culprit
			}
			order = append(order, c)
		}
	}
	return order
}

// assignColumns gives each tree a column for every combination of a flavor and a resource that it names, and each node
// the names around it.
func (b *builder) assignColumns(configs []Node, order []NodeID) {
	for _, id := range order {
		n := &b.nodes[id]
		n.names = newNames()
		if n.Parent == None {
			n.tree = len(b.trees)
			b.trees = append(b.trees, tree{column: map[Cell]int{}, names: newNames()})
		} else {
			parent := &b.nodes[n.Parent]
			n.tree = parent.tree
			if !parent.DeletedInUse && !n.DeletedInUse {
				n.names = parent.names
			}
		}
		if n.DeletedInUse {
			continue
		}
		for _, l := range configs[id].Limits {
			for _, names := range []*names{n.names, b.trees[n.tree].names} {
				names.flavors[l.Flavor] = true
				names.resources[l.Resource] = true
			}
		}
	}
	for i := range b.trees {
		b.trees[i].setColumns()
	}
}

func (t *tree) setColumns() {
	for flavor := range t.names.flavors {
		for resource := range t.names.resources {
			t.cells = append(t.cells, Cell{flavor, resource})
		}
	}
	slices.SortFunc(t.cells, compareCells)
	t.resources = slices.Sorted(maps.Keys(t.names.resources))
	for i, c := range t.cells {
		t.column[c] = i
		at, _ := slices.BinarySearch(t.resources, c.Resource)
		t.resourceOf = append(t.resourceOf, at)
	}
}

// setLimits copies the configured limits into the rows.
func (b *builder) setLimits(configs []Node) {
	for i := range b.nodes {
		n := &b.nodes[i]
		t := &b.trees[n.tree]
		n.rows = make([]row, len(t.cells))
		for c := range n.rows {
			n.rows[c].borrowing, n.rows[c].lending = Unlimited, Unlimited
		}
		if n.DeletedInUse {
			continue
		}
		for _, l := range configs[i].Limits {
			r := &n.rows[t.column[l.Cell]]
			r.nominal, r.borrowing, r.lending = max(0, l.Nominal), max(0, l.Borrowing), max(0, l.Lending)
		}
	}
}

// deriveQuotas computes what follows from the limits: bottom-up what is lent, and top-down what can be used at most.
func (b *builder) deriveQuotas(order []NodeID) {
	for _, id := range slices.Backward(order) {
		n := &b.nodes[id]
		for _, c := range n.Children {
			n.height = max(n.height, b.nodes[c].height+1)
		}
		for c := range n.rows {
			r := &n.rows[c]
			r.subtree = satAdd(r.subtree, r.nominal) // the children have already added what they lend
			lending := r.lending
			if n.Parent != None && b.nodes[n.Parent].DeletedInUse {
				lending = 0
			}
			r.lendable = min(r.subtree, lending)
			if lending != Unlimited {
				r.local = max(0, satSub(r.subtree, lending))
			}
			if n.Parent != None {
				up := &b.nodes[n.Parent].rows[c]
				up.subtree = satAdd(up.subtree, r.lendable)
			}
		}
	}
	for _, id := range order {
		n := &b.nodes[id]
		for c := range n.rows {
			r := &n.rows[c]
			if n.Parent == None {
				r.potential = r.subtree
				continue
			}
			up := &b.nodes[n.Parent].rows[c]
			r.potential = min(satAdd(r.local, up.potential), satAdd(r.subtree, r.borrowing))
		}
	}
}
