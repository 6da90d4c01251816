// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"encoding/json"
	"sort"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

func entryOf(key queueing.Key, grant queueing.Grant) v1alpha1.LedgerEntry {
	return v1alpha1.LedgerEntry{
		Kind: key.Kind, Namespace: key.Namespace, Name: key.Name, UID: key.UID, Part: grant.Part, Grant: *convert.ToAPI(grant),
	}
}

// sizeOf returns the size of a grant in a ledger, in bytes. It returns 0 if the grant cannot be encoded, an error that
// the write of the ledger will report.
func sizeOf(key queueing.Key, grant queueing.Grant) int {
	text, _ := json.Marshal(entryOf(key, grant))
	return len(text)
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

func sortEntries(entries []v1alpha1.LedgerEntry) {
	sort.Slice(entries, func(i, j int) bool { return entries[i].UID < entries[j].UID })
}
