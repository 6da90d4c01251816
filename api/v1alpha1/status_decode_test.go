// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/internal/testing/crds"
)

// TestOpenPartsOfAStatus: whatever stands in a part that the schema does not check, the others are read, and so are the other applications
// of a list.
func TestOpenPartsOfAStatus(t *testing.T) {
	t.Parallel()
	for name, garbage := range map[string]string{
		"a text":            `"everything"`,
		"a number":          `1e400`,
		"a list of numbers": `[1, 2]`,
		"wrong fields":      `{"run": "one", "wanted": [], "queued": 7, "gate": {}}`,
		"no time":           `[{"run": 1, "finishedAt": "yesterday"}]`,
		"an endless text":   `"` + strings.Repeat("x", 2*MaxApplicationSize) + `"`,
		"an endless list":   `[` + strings.Repeat(`{"run": 1},`, MaxApplicationSize/8) + `{}]`,
		"an endless object": `{"run": 1, "podSets": [` + strings.Repeat(`{"name": "executor"},`, MaxApplicationSize/8) + `{}]}`,
		"null":              `null`,
	} {
		for _, part := range openParts {
			t.Run(part+" is "+name, func(t *testing.T) {
				t.Parallel()
				var list SparkApplicationList
				err := json.Unmarshal([]byte(`{"items": [{"status": {"run": 3, "queue": "team-a", "`+part+`": `+garbage+`}}, {"status": {"run": 4, "grant": {"run": 4}}}]}`), &list)
				if err != nil {
					t.Fatal(err)
				}
				got := list.Items[0].Status
				if got.Run != 3 || got.Queue != "team-a" || list.Items[1].Status.Grant.Run != 4 {
					t.Errorf("run %d in queue %q and grant %v, want 3, team-a and a grant of run 4", got.Run, got.Queue, list.Items[1].Status.Grant)
				}
				if want := garbage != "null"; slices.Equal(got.Invalid, []string{part}) != want && garbage[0] != '{' {
					t.Errorf("invalid are %v", got.Invalid)
				}
				if text, err := json.Marshal(got); err != nil || len(text) > MaxApplicationSize {
					t.Errorf("%d bytes are kept: %v", len(text), err)
				}
			})
		}
	}
}

// TestGarbageBesideAGrant: one part that is not ours does not take away another one.
func TestGarbageBesideAGrant(t *testing.T) {
	t.Parallel()
	var s SparkApplicationStatus
	if err := json.Unmarshal([]byte(`{"attempts": "none", "grant": {"run": 2, "podSets": [{"name": "driver", "count": 1, "requests": {"cpu": "1"}}]}}`), &s); err != nil {
		t.Fatal(err)
	}
	if s.Grant == nil || s.Grant.Run != 2 || len(s.Grant.PodSets) != 1 || s.Attempts != nil {
		t.Errorf("grant %+v, attempts %v; want the grant and no attempts", s.Grant, s.Attempts)
	}
}

// TestOpenPartsAreExplained: `kubectl explain` shows no fields of an open part, so its description names them all.
func TestOpenPartsAreExplained(t *testing.T) {
	t.Parallel()
	status := crds.Schema(t, "sparkgate.io_sparkapplications.yaml").Properties["status"]
	for name, part := range status.Properties {
		open := ptr.Deref(part.XPreserveUnknownFields, false)
		if open != slices.Contains(openParts, name) {
			t.Errorf("status.%s: open in the schema is %t; UnmarshalJSON has to know it (openParts)", name, open)
		}
	}
	kind := reflect.TypeFor[SparkApplicationStatus]()
	for i := range kind.NumField() {
		field := kind.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if !slices.Contains(openParts, name) {
			continue
		}
		for _, inner := range fieldNames(field.Type) {
			if !strings.Contains(status.Properties[name].Description, inner) {
				t.Errorf("the description of status.%s does not name its field %s", name, inner)
			}
		}
	}
}

// fieldNames returns the names of the fields of a type of this package in JSON, and of those below it.
func fieldNames(kind reflect.Type) []string {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	if kind.Kind() != reflect.Struct || kind.PkgPath() != reflect.TypeFor[Grant]().PkgPath() {
		return nil
	}
	var names []string
	for i := range kind.NumField() {
		name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
		names = append(append(names, name), fieldNames(kind.Field(i).Type)...)
	}
	return names
}
