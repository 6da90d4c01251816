// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// Ledger records which grants of a tree are on their way to their applications.
type Ledger struct {
	// holder is the operator process that writes the ledger.
	// +required
	Holder string `json:"holder"`
	// operator is the namespace of the installation of that process, which leads the tree; absent if it has no lease.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Operator string `json:"operator,omitempty"`
	// epoch rises with every new holder.
	// +required
	Epoch int64 `json:"epoch"`
	// seq rises with every write.
	// +required
	Seq int64 `json:"seq"`
	// entries are the grants that are charged and may stand in no application's status, as JSON: {"inFlight": […],
	// "orphans": […]}. It is one text because the API server would check and compare every field of every grant with each
	// write. Absent if there are none.
	// +optional
	// +kubebuilder:validation:MaxLength=1048576
	Entries string `json:"entries,omitempty"`
	// inFlight is where earlier operators wrote these entries. It is read if entries is absent, and removed by the next
	// write.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	InFlight *runtime.RawExtension `json:"inFlight,omitempty"`
	// orphans is where earlier operators wrote these entries. It is read if entries is absent, and removed by the next
	// write.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Orphans *runtime.RawExtension `json:"orphans,omitempty"`
}

// LedgerEntries are the grants of a ledger.
type LedgerEntries struct {
	// inFlight are grants decided but possibly not yet written to their application. They are charged.
	// +optional
	// +listType=atomic
	InFlight []LedgerEntry `json:"inFlight,omitempty"`
	// orphans are grants of applications that are gone while pods of theirs still run. They are charged until those are
	// gone.
	// +optional
	// +listType=atomic
	Orphans []LedgerEntry `json:"orphans,omitempty"`
}

// LedgerEntry is one grant on its way to its application, or to its pod.
type LedgerEntry struct {
	// kind of what holds the grant: Pod for a pod that belongs to no application. Absent for an application.
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
	// part is true for a pod that a driver has created: it does not count as an application.
	// +optional
	Part bool `json:"part,omitempty"`
	// grant as it will stand in the application's status.
	// +required
	Grant Grant `json:"grant"`
}

// Encode returns the text of Ledger.Entries; empty if there are none.
func (e LedgerEntries) Encode() (string, error) {
	if len(e.InFlight)+len(e.Orphans) == 0 {
		return "", nil
	}
	text, err := json.Marshal(e)
	return string(text), err
}

// Decode returns the grants of a ledger, in the form of this version or of the one before it. The schema does not check
// them: invalid entries are left out and counted in the error. The entries that are returned are valid even with an
// error.
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
