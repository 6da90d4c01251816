// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

import (
	"cmp"
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

// Place is where a node stands in its Forest.
type Place struct {
	Name string
	// Parent is the node in which the usage of this one counts, or None. A node of a cycle has none. ConfiguredParent is
	// its name as configured, even if it does not exist.
	Parent           NodeID
	ConfiguredParent string
	// Root is the topmost node of the tree.
	Root NodeID
	// Children are the nodes directly below that are not deleted, in the order of their names. Do not modify the slice.
	Children []NodeID
	// DeletedInUse is true if the node was deleted and is only still charged.
	DeletedInUse bool
	// Problem is why nothing may be admitted below the node. Culprit is the node that has the problem: this one or an
	// ancestor; None without a problem.
	Problem Problem
	Culprit NodeID
}

type node struct {
	Place
	// below are all nodes with this parent, deleted ones included.
	below []NodeID
	// height is the number of levels below the node, not counting deleted nodes.
	height int
	tree   int
	// names are the flavors and resources named in the part of the tree around this node. Deleted nodes separate the
	// parts.
	names *names
	// rows holds a row for each column of the tree.
	rows []row
	// unlimitedUsage is what is charged to this node in cells without a column. It is reported, but never compared.
	unlimitedUsage map[Cell]*total
}

// Find returns the node with this name, or None. It also finds deleted nodes that are in use.
func (f *Forest) Find(name string) NodeID {
	if n, found := f.index[name]; found {
		return n
	}
	return None
}

// Nodes returns the number of nodes. Their IDs are 0 to Nodes−1, in the order of their names.
func (f *Forest) Nodes() int { return len(f.nodes) }

// At returns where a node stands. Do not modify it.
func (f *Forest) At(n NodeID) *Place { return &f.nodes[n].Place }

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
