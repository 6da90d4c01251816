// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	goodEntry = `{"namespace": "team", "name": "pi", "uid": "1", "grant": {"run": 1, "attempt": 2, "gate": "Embedded", "podSets": [{"name": "driver", "count": 1}]}}`
	quoted    = `{\"namespace\": \"team\", \"name\": \"pi\", \"uid\": \"1\", \"grant\": {\"run\": 1, \"attempt\": 2}}`
)

// TestDecodeLedger: the text of this version, the lists of the one before it, and what no operator has written.
func TestDecodeLedger(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ledger            string
		inFlight, orphans int
		wrong             string
	}{
		"empty":               {ledger: `{"epoch": 1}`},
		"a text":              {ledger: `{"entries": "{\"inFlight\": [` + quoted + `], \"orphans\": [` + quoted + `]}"}`, inFlight: 1, orphans: 1},
		"lists":               {ledger: `{"inFlight": [` + goodEntry + `], "orphans": [` + goodEntry + `,` + goodEntry + `]}`, inFlight: 1, orphans: 2},
		"a text beside lists": {ledger: `{"entries": "{}", "inFlight": [` + goodEntry + `]}`},
		"no JSON":             {ledger: `{"entries": "everything"}`, wrong: "entries is not a JSON object"},
		"a list of entries":   {ledger: `{"entries": "[]"}`, wrong: "entries is not a JSON object"},
		"one of two":          {ledger: `{"entries": "{\"inFlight\": [7, ` + quoted + `]}"}`, inFlight: 1, wrong: "1 of 2 entries of inFlight are invalid"},
		"wrong types":         {ledger: `{"inFlight": {"a": 1}, "orphans": [` + goodEntry + `, {"grant": {"run": "x"}}]}`, orphans: 1, wrong: "inFlight is not a list"},
		"of nobody":           {ledger: `{"entries": "{\"orphans\": [{}]}"}`, wrong: "no namespace, name or uid"},
		"null":                {ledger: `{"entries": "null", "inFlight": null}`},
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
