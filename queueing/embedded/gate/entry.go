// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// entry is a grant that the ledger of a tree must have.
type entry struct {
	root     string
	grant    queueing.Grant
	size     int  // in the ledger, in bytes
	recorded bool // whether the ledger has it
	// The following are of grants in flight only. before is the grant before it grew; nil for a new grant.
	before *queueing.Grant
	// decidedHere is true if this process decided on the grant. waited is how long the asker had waited then.
	decidedHere bool
	waited      time.Duration
}

// newEntry returns an entry that the ledger does not have. If the grant cannot be encoded, its size is 0, and the write
// of the ledger will report the error.
func newEntry(key queueing.Key, root string, grant queueing.Grant) *entry {
	text, _ := json.Marshal(entryOf(key, grant))
	return &entry{root: root, grant: grant, size: len(text)}
}

// isOf reports whether the grant is for this attempt.
func (e *entry) isOf(run, attempt int64) bool {
	return e.grant.Run == run && e.grant.Attempt == attempt
}

// entries are entries by asker.
type entries map[queueing.Key]*entry

// in returns the entries of one tree.
func (es entries) in(root string) entries {
	found := maps.Clone(es)
	maps.DeleteFunc(found, func(_ queueing.Key, e *entry) bool { return e.root != root })
	return found
}

// size returns how many bytes all entries take in the ledgers.
func (es entries) size() int {
	sum := 0
	for _, e := range es {
		sum += e.size
	}
	return sum
}

// list returns the entries as they are in a ledger, sorted.
func (es entries) list() []v1alpha1.LedgerEntry {
	var list []v1alpha1.LedgerEntry
	for key, e := range es {
		list = append(list, entryOf(key, e.grant))
	}
	slices.SortFunc(list, func(a, b v1alpha1.LedgerEntry) int { return strings.Compare(a.UID, b.UID) })
	return list
}

// written records that the ledger has these entries.
func (es entries) written(list []v1alpha1.LedgerEntry) {
	for i := range list {
		if e := es[keyOf(&list[i])]; e != nil {
			e.recorded = true
		}
	}
}

func entryOf(key queueing.Key, grant queueing.Grant) v1alpha1.LedgerEntry {
	return v1alpha1.LedgerEntry{
		Kind: key.Kind, Namespace: key.Namespace, Name: key.Name, UID: key.UID, Part: grant.Part, Grant: *convert.ToAPI(grant),
	}
}

// keyOf returns the key of a ledger entry.
func keyOf(e *v1alpha1.LedgerEntry) queueing.Key {
	return queueing.Key{Kind: e.Kind, Namespace: e.Namespace, Name: e.Name, UID: e.UID}
}

// grantOf returns the grant of a ledger entry.
func grantOf(e *v1alpha1.LedgerEntry) queueing.Grant {
	grant := convert.FromAPI(&e.Grant)
	grant.Part = e.Part
	return grant
}
