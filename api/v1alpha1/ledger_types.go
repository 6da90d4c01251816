// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Ledger records the grants of a tree that may not be in the status of their askers yet.
type Ledger struct {
	// holder is the operator process that writes the ledger.
	// +required
	Holder string `json:"holder"`
	// epoch is raised by every new holder.
	// +required
	Epoch int64 `json:"epoch"`
	// seq is raised by every write.
	// +required
	Seq int64 `json:"seq"`
	// entries are grants that are charged but may not be in the status of their asker, as JSON: {"inFlight": {KIND:
	// […]}, "orphans": {KIND: […]}}. They are one text because otherwise the API server would validate and compare
	// every field of every grant with each write. Absent if there are none.
	// +optional
	// +kubebuilder:validation:MaxLength=1048576
	Entries string `json:"entries,omitempty"`
}

// LedgerEntries are the grants of a ledger.
type LedgerEntries struct {
	// inFlight are grants that were decided but may not have been written to their asker yet. They are charged.
	// +optional
	// +listType=atomic
	InFlight LedgerList `json:"inFlight,omitempty"`
	// orphans are grants of askers that are gone although pods of them still run. They are charged until these pods are
	// gone.
	// +optional
	// +listType=atomic
	Orphans LedgerList `json:"orphans,omitempty"`
}

// LedgerList is a list of entries. Its JSON has them by kind, so that the kind is not repeated in each.
type LedgerList []LedgerEntry

// MarshalJSON implements json.Marshaler.
func (l LedgerList) MarshalJSON() ([]byte, error) {
	byKind := map[string][]LedgerEntry{}
	for i := range l {
		byKind[l[i].Kind] = append(byKind[l[i].Kind], l[i])
	}
	return json.Marshal(byKind)
}

// LedgerEntry is one grant that may not be in the status of its asker yet.
type LedgerEntry struct {
	// Kind is the kind of the asker.
	Kind string `json:"-"`
	// namespace of the asker.
	// +required
	Namespace string `json:"namespace"`
	// name of the asker.
	// +required
	Name string `json:"name"`
	// uid of the asker.
	// +required
	UID string `json:"uid"`
	// part is true for a pod whose owner has asked for itself.
	// +optional
	Part bool `json:"part,omitempty"`
	// grant is the grant as the status of the asker will have it.
	// +required
	Grant Grant `json:"grant"`
}

// Encode returns the text for Ledger.Entries; empty if there are no entries.
func (e LedgerEntries) Encode() (string, error) {
	if len(e.InFlight)+len(e.Orphans) == 0 {
		return "", nil
	}
	text, err := json.Marshal(e)
	return string(text), err
}

// Decode returns the grants of a ledger. The schema does not check them: invalid entries are left out, and counted in
// the error. The entries that are returned are valid even if there is an error.
func (l *Ledger) Decode() (e LedgerEntries, err error) {
	if l.Entries == "" {
		return e, nil
	}
	var raw struct{ InFlight, Orphans json.RawMessage }
	if err := json.Unmarshal([]byte(l.Entries), &raw); err != nil {
		return e, fmt.Errorf("status.ledger.entries is not a JSON object: %w", err)
	}
	var errInFlight, errOrphans error
	e.InFlight, errInFlight = decodeEntries("inFlight", raw.InFlight)
	e.Orphans, errOrphans = decodeEntries("orphans", raw.Orphans)
	return e, errors.Join(errInFlight, errOrphans)
}

// decodeEntries returns the valid entries of one list of a ledger, and an error about the others.
func decodeEntries(list string, raw json.RawMessage) (entries LedgerList, first error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var byKind map[string][]json.RawMessage
	if err := json.Unmarshal(raw, &byKind); err != nil {
		return nil, fmt.Errorf("status.ledger: %s has no lists by kind: %w", list, err)
	}
	items := 0
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		for _, item := range byKind[kind] {
			items++
			entry := LedgerEntry{Kind: kind}
			err := json.Unmarshal(item, &entry)
			if err == nil && (entry.Namespace == "" || entry.Name == "" || entry.UID == "") {
				err = errors.New("an entry has no namespace, name or uid")
			}
			if err == nil {
				entries = append(entries, entry)
			} else if first == nil {
				first = err
			}
		}
	}
	if first != nil {
		first = fmt.Errorf("status.ledger: %d of %d entries of %s are invalid; the first: %w", items-len(entries), items, list, first)
	}
	return entries, first
}
