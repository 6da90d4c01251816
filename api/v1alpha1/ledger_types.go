// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// Ledger records the grants of a tree that may not be in the status of their applications yet.
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
	// entries are grants that are charged but may not be in the status of any application, as JSON: {"inFlight": […],
	// "orphans": […]}. They are one text because otherwise the API server would validate and compare every field of
	// every grant with each write. Absent if there are none.
	// +optional
	// +kubebuilder:validation:MaxLength=1048576
	Entries string `json:"entries,omitempty"`
	// inFlight is where earlier versions of the operator stored these entries. It is read if entries is absent, and
	// removed by the next write.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	InFlight *runtime.RawExtension `json:"inFlight,omitempty"`
	// orphans is where earlier versions of the operator stored these entries. It is read if entries is absent, and
	// removed by the next write.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Orphans *runtime.RawExtension `json:"orphans,omitempty"`
}

// LedgerEntries are the grants of a ledger.
type LedgerEntries struct {
	// inFlight are grants that were decided but may not have been written to their application yet. They are charged.
	// +optional
	// +listType=atomic
	InFlight []LedgerEntry `json:"inFlight,omitempty"`
	// orphans are grants of applications that are gone although pods of them still run. They are charged until these
	// pods are gone.
	// +optional
	// +listType=atomic
	Orphans []LedgerEntry `json:"orphans,omitempty"`
}

// LedgerEntry is one grant that may not be in the status of its application yet, or the grant of an unmanaged pod.
type LedgerEntry struct {
	// kind is Pod for the grant of an unmanaged pod; absent for that of an application.
	// +optional
	Kind string `json:"kind,omitempty"`
	// namespace of the application or pod.
	// +required
	Namespace string `json:"namespace"`
	// name of the application or pod.
	// +required
	Name string `json:"name"`
	// uid of the application or pod.
	// +required
	UID string `json:"uid"`
	// part is true for a pod that a driver has created. It does not count as an application.
	// +optional
	Part bool `json:"part,omitempty"`
	// grant is the grant as the status of the application will have it.
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

// Decode returns the grants of a ledger, as this version or the one before it has written them. The schema does not
// check them: invalid entries are left out, and counted in the error. The entries that are returned are valid even if
// there is an error.
func (l *Ledger) Decode() (LedgerEntries, error) {
	var raw struct{ InFlight, Orphans json.RawMessage }
	if l.Entries != "" {
		if err := json.Unmarshal([]byte(l.Entries), &raw); err != nil {
			return LedgerEntries{}, fmt.Errorf("status.ledger.entries is not a JSON object: %w", err)
		}
	} else {
		raw.InFlight, raw.Orphans = rawOf(l.InFlight), rawOf(l.Orphans)
	}
	var e LedgerEntries
	var errInFlight, errOrphans error
	e.InFlight, errInFlight = decodeEntries("inFlight", raw.InFlight)
	e.Orphans, errOrphans = decodeEntries("orphans", raw.Orphans)
	return e, errors.Join(errInFlight, errOrphans)
}

func rawOf(e *runtime.RawExtension) json.RawMessage {
	if e == nil {
		return nil
	}
	return e.Raw
}

// decodeEntries returns the valid entries of one list of a ledger, and an error about the others.
func decodeEntries(list string, raw json.RawMessage) ([]LedgerEntry, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("status.ledger: %s is not a list: %w", list, err)
	}
	var entries []LedgerEntry
	var first error
	for _, item := range items {
		var entry LedgerEntry
		err := json.Unmarshal(item, &entry)
		if err == nil && (entry.Namespace == "" || entry.Name == "" || entry.UID == "") {
			err = errors.New("an entry has no namespace, name or uid")
		}
		switch {
		case err == nil:
			entries = append(entries, entry)
		case first == nil:
			first = err
		}
	}
	if first != nil {
		first = fmt.Errorf("status.ledger: %d of %d entries of %s are invalid; the first: %w", len(items)-len(entries), len(items), list, first)
	}
	return entries, first
}
