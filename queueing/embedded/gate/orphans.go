// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// Bounds of the orphans in a ledger, in number and in bytes. Further orphans are charged as long as this process runs,
// and after a restart to the queue of their namespace.
const (
	maxOrphans  = 100
	orphansSize = 256 << 10
)

// orphan is the grant of a deleted asker that has active pods.
type orphan struct {
	root     string
	grant    queueing.Grant
	size     int  // size of the entry in the ledger, in bytes
	recorded bool // whether the ledger has the orphan
}

// orphans holds the grants of deleted askers that have active pods. They stay in the ledger until they are released,
// because after a restart nothing else records what the pods may be charged to.
type orphans map[queueing.Key]*orphan

// add keeps a grant of a tree, and reports whether it did. It does not if the tree is unknown or has too many orphans.
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

// entries returns the ledger entries of a tree's orphans, sorted.
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

// written records that the ledger has these entries.
func (o orphans) written(entries []v1alpha1.LedgerEntry) {
	for i := range entries {
		if x := o[keyOf(&entries[i])]; x != nil {
			x.recorded = true
		}
	}
}

// unwritten returns the roots of the trees whose ledgers lack orphans.
func (o orphans) unwritten() map[string]bool {
	roots := map[string]bool{}
	for _, x := range o {
		if !x.recorded {
			roots[x.root] = true
		}
	}
	return roots
}
