// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// TestLintRefusesWhatTheServerRefuses holds the linter, which has no API server, to the real one: with every value that some rule of a
// schema forbids, with values beyond what the Go types hold, and with doubled items of lists.
func TestLintRefusesWhatTheServerRefuses(t *testing.T) {
	t.Parallel()
	for plural := range kinds {
		t.Run(plural, func(t *testing.T) {
			t.Parallel()
			refused := 0
			obj := inNamespace(complete(t, plural))
			known := toCorrect(t, obj)
			isNew := func(finding string) bool { return !slices.Contains(known, finding) }
			for _, p := range places(t, plural) {
				for _, value := range suspicious(t, obj, p) {
					changed, path, err := set(obj, p, value)
					if err != nil {
						t.Error(err)
						continue
					}
					if slices.ContainsFunc(toCorrect(t, changed), isNew) {
						refused++
						continue
					}
					if err := dryRun(t.Context(), changed); err != nil {
						t.Errorf("%s: the linter takes %v, the API server does not: %v", path, value, err)
					}
				}
			}
			t.Logf("the linter refuses %d values", refused)
			if refused == 0 {
				t.Error("the linter refuses nothing")
			}
		})
	}
}

// suspicious are values that the API server may refuse.
func suspicious(t *testing.T, obj *unstructured.Unstructured, p place) []any {
	t.Helper()
	values := append(hostile(p), map[string]any{"a": "b"}, []any{true}, true, "text", int64(7), 1.5)
	for _, b := range breaches(t, obj, p) {
		values = append(values, b.value)
	}
	if value, _ := at(obj.Object, p.keys); p.schema.Type == "array" {
		items, _ := value.([]any)
		values = append(values, append(slices.Clone(items), items...))
	}
	return values
}

// toCorrect returns what the linter finds in an object, warnings left out.
func toCorrect(t *testing.T, obj *unstructured.Unstructured) []string {
	t.Helper()
	text, err := obj.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	linted, err := offline.Lint([]offline.File{{Name: "object.json", Text: text}})
	if err != nil || linted.Checked != 1 {
		t.Fatalf("%d objects were checked: %v", linted.Checked, err)
	}
	var found []string
	for _, f := range linted.Findings {
		if !f.Warning {
			found = append(found, f.String())
		}
	}
	return found
}
