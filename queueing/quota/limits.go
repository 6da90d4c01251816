// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

// Usage returns what counts against the limits of n in a cell: its own use, and what its children use beyond what
// they never lend. It is 0 for a cell that is not limited.
func (f *Forest) Usage(n NodeID, cell Cell) int64 {
	column, found := f.trees[f.nodes[n].tree].column[cell]
	if !found {
		return 0
	}
	return f.nodes[n].rows[column].usage.amount()
}

// Ceiling returns the node whose limits bound what n could ever hold in a cell (Limit.Potential): n, or one above it.
func (f *Forest) Ceiling(n NodeID, cell Cell) NodeID {
	column, found := f.trees[f.nodes[n].tree].column[cell]
	if !found {
		return n
	}
	for {
		nd := &f.nodes[n]
		r := &nd.rows[column]
		if nd.parent == None || satAdd(r.subtree, r.borrowing) <= satAdd(r.local, f.nodes[nd.parent].rows[column].potential) {
			return n
		}
		n = nd.parent
	}
}
