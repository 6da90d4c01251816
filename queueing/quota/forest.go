// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Cell is one resource in one flavor, the unit to which quotas apply.
type Cell struct{ Flavor, Resource string }

// compareCells orders cells by flavor, then by resource. This is the order in which they are evaluated and reported.
func compareCells(a, b Cell) int {
	return cmp.Or(strings.Compare(a.Flavor, b.Flavor), strings.Compare(a.Resource, b.Resource))
}

// Limits are the configured limits of a node in one cell. Negative ones count as 0.
type Limits struct {
	Cell
	// Nominal is the quota that the node adds to that of its children.
	Nominal int64
	// Borrowing bounds what the node may use above its own and its children's quota; Unlimited means no bound.
	Borrowing int64
	// Lending bounds how much of that quota others may use; Unlimited means all of it.
	Lending int64
}

// Node is the configuration of one queue.
type Node struct {
	Name string
	// Parent is empty for a root.
	Parent string
	// Limits are the limits by cell; of several for the same cell the last one counts.
	Limits []Limits
	// DeletedInUse marks a node that was deleted but is still charged. It has no quota (its limits are ignored), and
	// its usage counts in its parent until it is released. Its children are cut off from the tree: they lend nothing to
	// it, and only what they have borrowed counts in it. Without usage such a node makes no difference.
	DeletedInUse bool
}

// Problem is why nothing may be admitted below a node.
type Problem string

// The problems of a node. The set is closed.
const (
	// NoProblem means that the node and all its ancestors are in order.
	NoProblem Problem = ""
	// ParentNotFound means that the parent of the node, or of an ancestor, does not exist.
	ParentNotFound Problem = "ParentNotFound"
	// Cycle means that the node, or an ancestor, is its own ancestor.
	Cycle Problem = "Cycle"
)

// None is the NodeID that stands for no node.
const None NodeID = -1

// NodeID identifies a node within one Forest.
type NodeID int

// Forest is a set of trees of quotas, with what is charged to them. The structure is immutable: a changed configuration
// needs a new Forest, to which everything is charged again. It is not safe for concurrent use.
type Forest struct {
	nodes []node
	index map[string]NodeID
	trees []tree
}

type node struct {
	name   string
	parent NodeID
	root   NodeID
	// below are all nodes with this parent; children are those of them that are not deleted.
	below, children []NodeID

	// height is the number of levels below the node, not counting deleted nodes.
	height int

	deletedInUse bool
	problem      Problem
	// culprit is the node that has the problem: this one or an ancestor.
	culprit NodeID
	// configuredParent is the parent as configured, even if it does not exist.
	configuredParent string
	tree             int
	// names are the flavors and resources named in the part of the tree around this node. Deleted nodes separate the
	// parts.
	names *names
	// rows holds a row for each column of the tree.
	rows []row
	// unlimitedUsage is what is charged to this node in cells without a column. It is reported, but never compared.
	unlimitedUsage map[Cell]*total
}

// names are flavors and resources for which some node has limits.
type names struct{ flavors, resources map[string]bool }

func newNames() *names { return &names{flavors: map[string]bool{}, resources: map[string]bool{}} }

// tree numbers the cells shared by the nodes of one tree: every flavor combined with every resource that some node
// names.
type tree struct {
	cells  []Cell
	column map[Cell]int
	names  *names
	// resources are the resources of the cells in order; resourceOf holds, for each column, the index of its resource.
	resources  []string
	resourceOf []int
	// withoutFlavor counts the cells in use that have no column, but whose resource is limited in other flavors. Only
	// these affect shares; users may invent any number of other cells without a column.
	withoutFlavor int
}

// NewForest builds a forest. It accepts any input: of several nodes with the same name the first counts; a node whose
// parent is missing, and each node of a cycle, becomes a root of its own that is marked with its problem.
func NewForest(nodes []Node) *Forest {
	configs := slices.Clone(nodes)
	slices.SortStableFunc(configs, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	configs = slices.CompactFunc(configs, func(a, b Node) bool { return a.Name == b.Name })

	f := &Forest{nodes: make([]node, len(configs)), index: make(map[string]NodeID, len(configs))}
	for i, c := range configs {
		f.index[c.Name] = NodeID(i)
		f.nodes[i] = node{name: c.Name, configuredParent: c.Parent, deletedInUse: c.DeletedInUse, parent: None, culprit: None}
	}
	f.linkParents()
	f.breakCycles()
	order := f.topologicalOrder()
	f.assignColumns(configs, order)
	f.setLimits(configs)
	f.deriveQuotas(order)
	return f
}

// linkParents resolves parents, and marks nodes whose parent is missing. A deleted node is charged like a parent, but
// counts as missing.
func (f *Forest) linkParents() {
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.configuredParent == "" {
			continue
		}
		p, found := f.index[n.configuredParent]
		if found {
			n.parent = p
		}
		if !n.deletedInUse && (!found || f.nodes[p].deletedInUse) {
			n.problem, n.culprit = ParentNotFound, NodeID(i)
		}
	}
}

// breakCycles turns each node that is its own ancestor into a root.
func (f *Forest) breakCycles() {
	const unseen, onPath, done = 0, 1, 2
	state := make([]int, len(f.nodes))
	for i := range f.nodes {
		var path []NodeID
		n := NodeID(i)
		for n != None && state[n] == unseen {
			state[n] = onPath
			path = append(path, n)
			n = f.nodes[n].parent
		}
		if n != None && state[n] == onPath {
			f.breakCycle(path[slices.Index(path, n):])
		}
		for _, p := range path {
			state[p] = done
		}
	}
}

// breakCycle breaks a cycle at its deleted nodes, or at every node if none is deleted.
func (f *Forest) breakCycle(members []NodeID) {
	someDeleted := slices.ContainsFunc(members, f.DeletedInUse)
	for _, id := range members {
		n := &f.nodes[id]
		if someDeleted && !n.deletedInUse {
			continue
		}
		n.parent = None
		if n.problem == NoProblem && !n.deletedInUse {
			n.problem, n.culprit = Cycle, id
		}
	}
}

// topologicalOrder returns the nodes ordered so that each comes after its parent. It also sets roots, children and
// inherited problems.
func (f *Forest) topologicalOrder() []NodeID {
	order := make([]NodeID, 0, len(f.nodes))
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.parent == None {
			n.root = NodeID(i)
			order = append(order, NodeID(i))
			continue
		}
		parent := &f.nodes[n.parent]
		parent.below = append(parent.below, NodeID(i))
		if !n.deletedInUse {
			parent.children = append(parent.children, NodeID(i))
		}
	}
	for next := 0; next < len(order); next++ {
		parent := &f.nodes[order[next]]
		for _, c := range parent.below {
			child := &f.nodes[c]
			child.root = parent.root
			if child.problem == NoProblem {
				child.problem, child.culprit = parent.problem, parent.culprit
			}
			order = append(order, c)
		}
	}
	return order
}

// assignColumns gives each tree a column for every combination of a flavor and a resource that it names, and each node
// the names around it.
func (f *Forest) assignColumns(configs []Node, order []NodeID) {
	for _, id := range order {
		n := &f.nodes[id]
		n.names = newNames()
		if n.parent == None {
			n.tree = len(f.trees)
			f.trees = append(f.trees, tree{column: map[Cell]int{}, names: newNames()})
		} else {
			parent := &f.nodes[n.parent]
			n.tree = parent.tree
			if !parent.deletedInUse && !n.deletedInUse {
				n.names = parent.names
			}
		}
		if n.deletedInUse {
			continue
		}
		for _, l := range configs[id].Limits {
			for _, names := range []*names{n.names, f.trees[n.tree].names} {
				names.flavors[l.Flavor] = true
				names.resources[l.Resource] = true
			}
		}
	}
	for i := range f.trees {
		f.trees[i].setColumns()
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
func (f *Forest) setLimits(configs []Node) {
	for i := range f.nodes {
		n := &f.nodes[i]
		t := &f.trees[n.tree]
		n.rows = make([]row, len(t.cells))
		for c := range n.rows {
			n.rows[c].borrowing, n.rows[c].lending = Unlimited, Unlimited
		}
		if n.deletedInUse {
			continue
		}
		for _, l := range configs[i].Limits {
			r := &n.rows[t.column[l.Cell]]
			r.nominal, r.borrowing, r.lending = max(0, l.Nominal), max(0, l.Borrowing), max(0, l.Lending)
		}
	}
}

// deriveQuotas computes what follows from the limits: bottom-up what is lent, and top-down what can be used at most.
func (f *Forest) deriveQuotas(order []NodeID) {
	for _, id := range slices.Backward(order) {
		n := &f.nodes[id]
		for _, c := range n.children {
			n.height = max(n.height, f.nodes[c].height+1)
		}
		for c := range n.rows {
			r := &n.rows[c]
			r.subtree = satAdd(r.subtree, r.nominal) // the children have already added what they lend
			lending := r.lending
			if n.parent != None && f.nodes[n.parent].deletedInUse {
				lending = 0
			}
			r.lendable = min(r.subtree, lending)
			if lending != Unlimited {
				r.local = max(0, satSub(r.subtree, lending))
			}
			if n.parent != None {
				up := &f.nodes[n.parent].rows[c]
				up.subtree = satAdd(up.subtree, r.lendable)
			}
		}
	}
	for _, id := range order {
		n := &f.nodes[id]
		for c := range n.rows {
			r := &n.rows[c]
			if n.parent == None {
				r.potential = r.subtree
				continue
			}
			up := &f.nodes[n.parent].rows[c]
			r.potential = min(satAdd(r.local, up.potential), satAdd(r.subtree, r.borrowing))
		}
	}
}
