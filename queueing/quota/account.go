// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package quota

// Account is what one node has in one cell. It is a view: it shows the Forest as it is when a method is called.
type Account struct {
	forest *Forest
	node   NodeID
	cell   Cell
	// column is the column of the cell; found is false if the tree has none.
	column int
	found  bool
}

// Account returns the account of n in a cell.
func (f *Forest) Account(n NodeID, cell Cell) Account {
	column, found := f.trees[f.nodes[n].tree].column[cell]
	return Account{forest: f, node: n, cell: cell, column: column, found: found}
}

// at returns the row of a node in the column of the account, and the node above it.
func (a Account) at(n NodeID) (*row, NodeID) {
	nd := &a.forest.nodes[n]
	return &nd.rows[a.column], nd.Parent
}

// limited reports whether the node's tree limits the resource.
func (a Account) limited() bool { return a.forest.nodes[a.node].names.resources[a.cell.Resource] }

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

// Limit returns the limits of the node. They are all Unlimited for a resource that the tree does not limit, and all 0
// for a flavor that it does not have.
func (a Account) Limit() Limit {
	switch {
	case !a.limited():
		return Limit{Unlimited, Unlimited, Unlimited}
	case !a.found:
		return Limit{}
	}
	r, parent := a.at(a.node)
	l := Limit{r.subtree, r.borrowing, r.potential}
	if parent == None {
		l.Borrowing = 0
	}
	return l
}

// Usage returns what counts against the limits of the node: its own use, and what its children use beyond their local
// parts. It is 0 for a cell that is not limited.
func (a Account) Usage() int64 {
	if !a.found {
		return 0
	}
	r, _ := a.at(a.node)
	return r.usage.amount()
}

// Available returns how much more the node may use now. It is negative if the usage exceeds the quota.
func (a Account) Available() int64 {
	if !a.found || !a.limited() {
		return a.Limit().Nominal
	}
	// available(n) = free + min(available(parent), outside), unrolled: the minimum over n and all ancestors of the sum
	// of the local parts up to there and of what may still be passed up there.
	least, free := Unlimited, int64(0)
	for n := a.node; ; {
		r, parent := a.at(n)
		if parent == None {
			return min(least, satAdd(satSub(r.subtree, r.usage.amount()), free))
		}
		free = satAdd(free, r.localAvailable())
		least = min(least, satAdd(r.borrowingHeadroom(), free))
		n = parent
	}
}

// Lent returns the unused part of the node's own quota (its nominal quota and what its children lend to it) that it
// could not use now because other nodes are using it. It is 0 for a root, whose unused quota is free.
func (a Account) Lent() int64 {
	if !a.found || !a.limited() {
		return 0
	}
	r, _ := a.at(a.node)
	unused := max(0, satSub(r.subtree, r.usage.amount()))
	return unused - min(unused, max(0, a.Available()))
}

// Headroom returns the most that the limit of a node, the account's own or one above it, leaves for the account. It
// blocks every greater need, regardless of other limits. It is negative if the limit is exceeded, and Unlimited for a
// cell without limits.
func (a Account) Headroom(of NodeID) int64 {
	if !a.found {
		return Unlimited
	}
	var local int64
	for n := a.node; ; {
		r, parent := a.at(n)
		if parent == None {
			return satAdd(satSub(r.subtree, r.usage.amount()), local)
		}
		local = satAdd(local, r.localAvailable())
		if n == of {
			return satAdd(r.borrowingHeadroom(), local)
		}
		n = parent
	}
}

// OwnHeadroom returns the most that the node may use in addition while it, or some node above it other than the root,
// stays within its own quota; it is negative if none does.
func (a Account) OwnHeadroom() int64 {
	if !a.found {
		return Unlimited
	}
	most, local := int64(-1), int64(0)
	r, parent := a.at(a.node)
	for parent != None {
		if left := satSub(r.subtree, r.usage.amount()); left >= 0 {
			most = max(most, satAdd(left, local))
		}
		local = satAdd(local, r.localAvailable())
		r, parent = a.at(parent)
	}
	return most
}

// Raise is by how much a limit of a node must be raised: its borrowing limit or, with the same effect, its nominal
// quota. For a root it is the nominal quota.
type Raise struct {
	Node NodeID
	By   int64
}

// Raises returns what must be raised, from the node upward, so that it could ever hold a need. It is empty if it
// already could (Limit.Potential).
func (a Account) Raises(need int64) []Raise {
	switch {
	case need <= a.Limit().Potential:
		return nil
	case !a.found:
		return []Raise{{a.node, need}}
	}
	var raises []Raise
	for n := a.node; ; {
		r, parent := a.at(n)
		most := r.subtree
		if parent != None {
			most = satAdd(most, r.borrowing)
		}
		if most < need {
			raises = append(raises, Raise{n, need - most})
		}
		need = satSub(need, r.local)
		if parent == None || need <= a.forest.nodes[parent].rows[a.column].potential {
			return raises
		}
		n = parent
	}
}
