// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

const entry = `{\"namespace\": \"team\", \"name\": \"pi\", \"uid\": \"1\", \"grant\": {\"run\": 1, \"attempt\": 2}}`

// TestDecodeLedger: what an operator has written, and what none has.
func TestDecodeLedger(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ledger            string
		inFlight, orphans int
		wrong             string
	}{
		"empty":             {ledger: `{"epoch": 1}`},
		"two kinds":         {ledger: `{"entries": "{\"inFlight\": {\"A\": [` + entry + `], \"B\": [` + entry + `,` + entry + `]}, \"orphans\": {\"A\": [` + entry + `]}}"}`, inFlight: 3, orphans: 1},
		"no JSON":           {ledger: `{"entries": "everything"}`, wrong: "entries is not a JSON object"},
		"a list of entries": {ledger: `{"entries": "[]"}`, wrong: "entries is not a JSON object"},
		"one of two":        {ledger: `{"entries": "{\"inFlight\": {\"A\": [7, ` + entry + `]}}"}`, inFlight: 1, wrong: "1 of 2 entries of inFlight are invalid"},
		"wrong types":       {ledger: `{"entries": "{\"inFlight\": {\"A\": 1}, \"orphans\": {\"A\": [` + entry + `, {\"grant\": {\"run\": \"x\"}}]}}"}`, orphans: 1, wrong: "inFlight has no lists by kind"},
		"of nobody":         {ledger: `{"entries": "{\"orphans\": {\"A\": [{}]}}"}`, wrong: "no namespace, name or uid"},
		"null":              {ledger: `{"entries": "null"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var l Ledger
			if err := json.Unmarshal([]byte(tc.ledger), &l); err != nil {
				t.Fatal(err)
			}
			got, err := l.Decode()
			if len(got.InFlight) != tc.inFlight || len(got.Orphans) != tc.orphans {
				t.Errorf("%d in flight and %d orphans, want %d and %d", len(got.InFlight), len(got.Orphans), tc.inFlight, tc.orphans)
			}
			if (err != nil) != (tc.wrong != "") || err != nil && !strings.Contains(err.Error(), tc.wrong) {
				t.Errorf("error %v, want %q", err, tc.wrong)
			}
		})
	}
}

// TestEncodeLedger: entries keep their kind, which is written once for each.
func TestEncodeLedger(t *testing.T) {
	t.Parallel()
	before := LedgerEntries{InFlight: LedgerList{
		{Kind: "A", Namespace: "team", Name: "pi", UID: "1"}, {Kind: "A", Namespace: "team", Name: "pi", UID: "2"}, {Kind: "B", Namespace: "team", Name: "pi", UID: "3"},
	}}
	text, err := before.Encode()
	if err != nil {
		t.Fatal(err)
	}
	after, err := (&Ledger{Entries: text}).Decode()
	if err != nil || !reflect.DeepEqual(before, after) || strings.Count(text, `"A"`) != 1 {
		t.Errorf("%+v (%v) was read from %s", after, err, text)
	}
}
