// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submitrecording

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/internal/testing/recordings"
)

// recorded returns the recording <version>/<case>.
func recorded(t *testing.T, name string) *Recording {
	t.Helper()
	library, err := recordings.OpenLibrary("../../../test/record/cases")
	if err != nil {
		t.Fatal(err)
	}
	file, err := library.Read(filepath.Join("../render/testdata/recordings", name+recordings.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sentBy returns what the real client sent in one of the recorded cases.
func sentBy(t *testing.T, name string) *Objects {
	t.Helper()
	sent, err := recorded(t, "4.1.4/"+name).Sent()
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// TestComparisonSeesEveryChange changes every value of a recorded submission in turn: the comparison has to notice, at the right place.
func TestComparisonSeesEveryChange(t *testing.T) {
	t.Parallel()
	recorded := sentBy(t, "typical-etl")
	changes := 0
	for name, object := range map[string]any{
		"pod": recorded.pod, "service": recorded.service, "configmap": recorded.configMap, "properties": recorded.properties,
	} {
		original := canonical("", recorded.plain(object))
		eachLeaf([]string{name}, original, func(path []string, change func(any)) {
			changes++
			before := printed(original)
			change("something else")
			differences := walk([]string{name}, canonical("", recorded.plain(object)), original)
			if len(differences) != 1 || strings.Join(differences[0].Path, " ") != strings.Join(path, " ") {
				t.Errorf("a change of %s is seen as %v", strings.Join(path, " "), differences)
			}
			change(nil)
			if len(walk([]string{name}, canonical("", recorded.plain(object)), original)) != 1 {
				t.Errorf("the loss of %s is not seen", strings.Join(path, " "))
			}
			change(unchanged)
			if printed(original) != before {
				t.Fatalf("%s was not put back", strings.Join(path, " "))
			}
		})
	}
	const least = 100
	if changes < least {
		t.Errorf("only %d values were changed", changes)
	}
}

// unchanged puts the original value back.
var unchanged = new(int)

// eachLeaf calls a function for every value that is not a map, with the way to change it.
func eachLeaf(path []string, value any, visit func(path []string, change func(any))) {
	members, ok := value.(map[string]any)
	if !ok {
		return
	}
	for key, member := range members {
		below := append(append([]string{}, path...), key)
		if m, isMap := member.(map[string]any); isMap {
			if len(m) > 0 {
				eachLeaf(below, member, visit)
			}
			continue
		}
		visit(below, func(replacement any) {
			switch replacement {
			case unchanged:
				members[key] = member
			case nil:
				delete(members, key)
			default:
				members[key] = replacement
			}
		})
	}
}

func TestComparisonOfOrder(t *testing.T) {
	t.Parallel()
	container := func(s *Objects) map[string]any {
		return listOf(s.pod["spec"].(map[string]any)["containers"])[0]
	}
	swap := func(list any, i, j int) {
		l := list.([]any)
		l[i], l[j] = l[j], l[i]
	}
	for name, test := range map[string]struct {
		change func(*Objects)
		want   string
	}{
		"variables": {func(s *Objects) { swap(container(s)["env"], 0, 1) }, "pod spec containers spark-kubernetes-driver env order"},
		"arguments": {func(s *Objects) { swap(container(s)["args"], 1, 2) }, "pod spec containers spark-kubernetes-driver args 1"},
		"volumes, which does not count": {
			func(s *Objects) { swap(s.pod["spec"].(map[string]any)["volumes"], 0, 1) }, "",
		},
		"a property that is escaped otherwise": {
			func(s *Objects) { s.lines["spark.driver.port"] += " " }, "properties spark.driver.port text",
		},
		"an object that no job has": {
			func(s *Objects) { s.others = append(s.others, map[string]any{"kind": "Secret"}) }, "other secret",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recorded, changed := sentBy(t, "env-field"), sentBy(t, "env-field")
			test.change(changed)
			first := ""
			if differences := Compare(recorded, changed); len(differences) > 0 {
				first = strings.Join(differences[0].Path, " ")
			}
			if first != test.want {
				t.Errorf("first difference = %q, want %q", first, test.want)
			}
		})
	}
}

func TestDeviationPatterns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		pattern, path string
		want          bool
	}{
		"the same":             {"pod metadata", "pod metadata", true},
		"below it":             {"pod metadata", "pod metadata labels x", true},
		"above it":             {"pod metadata labels", "pod metadata", false},
		"beside it":            {"pod metadata", "pod spec", false},
		"any beginning":        {"pod *order", "pod env-order", true},
		"any end":              {"pod sparkgate.io/*", "pod sparkgate.io/run", true},
		"another beginning":    {"pod sparkgate.io/*", "pod spark-role", false},
		"anything":             {"pod * x", "pod y x", true},
		"only one step for it": {"pod * x", "pod y z x", false},
	} {
		if got := covers(strings.Fields(test.pattern), strings.Fields(test.path)); got != test.want {
			t.Errorf("%s: covers = %t, want %t", name, got, test.want)
		}
	}
}
