// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// maxOrphans and orphansSize bound the orphans of a ledger, in number and in bytes. Further ones are charged as before,
// and after a restart to the queue of their namespace.
const (
	maxOrphans  = 100
	orphansSize = 256 << 10
)

// orphan is the grant of a deleted application while pods of it are active.
type orphan struct {
	root     string
	grant    queueing.Grant
	size     int  // of its entry in the ledger, in bytes
	recorded bool // is in the ledger
}

// orphans are the grants of deleted applications whose pods are still active. They stay in the ledger until they are
// released: after a restart nothing else records what the pods may be charged to.
type orphans map[queueing.Key]*orphan

// add keeps a grant of a tree, and reports whether it does: not if the tree is unknown or has too many.
func (o orphans) add(key queueing.Key, root string, grant queueing.Grant) bool {
	size := sizeOf(key, grant)
	if root == "" || o.count(root) >= maxOrphans || o.size(root)+size > orphansSize {
		return false
	}
	o[key] = &orphan{root: root, grant: grant, size: size}
	return true
}

// size returns how many bytes the orphans of a tree take in its ledger.
func (o orphans) size(root string) int {
	sum := 0
	for _, x := range o {
		if x.root == root {
			sum += x.size
		}
	}
	return sum
}

func (o orphans) count(root string) int {
	n := 0
	for _, x := range o {
		if x.root == root {
			n++
		}
	}
	return n
}

// entries returns what the ledger of a tree says of them.
func (o orphans) entries(root string) []v1alpha1.LedgerEntry {
	var entries []v1alpha1.LedgerEntry
	for key, x := range o {
		if x.root == root {
			entries = append(entries, entryOf(key, x.grant))
		}
	}
	sortEntries(entries)
	return entries
}

// written notes that the ledger has these entries.
func (o orphans) written(entries []v1alpha1.LedgerEntry) {
	for i := range entries {
		if x := o[keyOf(&entries[i])]; x != nil {
			x.recorded = true
		}
	}
}

// unwritten returns the trees whose ledgers lack some.
func (o orphans) unwritten() map[string]bool {
	roots := map[string]bool{}
	for _, x := range o {
		if !x.recorded {
			roots[x.root] = true
		}
	}
	return roots
}
