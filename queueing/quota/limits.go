// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

// Usage returns what counts against the limits of n in a cell: its own use, and what its children use beyond their
// local parts. It is 0 for a cell that is not limited.
func (f *Forest) Usage(n NodeID, cell Cell) int64 {
	column, found := f.trees[f.nodes[n].tree].column[cell]
	if !found {
		return 0
	}
	return f.nodes[n].rows[column].usage.amount()
}

// Raise is by how much a limit of a node must be raised: its borrowing limit or, with the same effect, its nominal
// quota. For a root it is the nominal quota.
type Raise struct {
	Node NodeID
	By   int64
}

// Raises returns what must be raised, from n upward, so that n could ever hold a need in a cell. It is empty if n
// already could (Limit.Potential).
func (f *Forest) Raises(n NodeID, cell Cell, need int64) []Raise {
	if need <= f.Limit(n, cell).Potential {
		return nil
	}
	column, found := f.trees[f.nodes[n].tree].column[cell]
	if !found {
		return []Raise{{n, need}}
	}
	var raises []Raise
	for {
		nd := &f.nodes[n]
		r := &nd.rows[column]
		most := r.subtree
		if nd.parent != None {
			most = satAdd(most, r.borrowing)
		}
		if most < need {
			raises = append(raises, Raise{n, need - most})
		}
		need = satSub(need, r.local)
		if nd.parent == None || need <= f.nodes[nd.parent].rows[column].potential {
			return raises
		}
		n = nd.parent
	}
}
