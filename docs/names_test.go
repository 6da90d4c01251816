// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// constants returns the text constants of a Go file whose name ends with suffix.
func constants(t *testing.T, path, suffix string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue || !strings.HasSuffix(spec.Names[0].Name, suffix) {
			return true
		}
		if value, isLiteral := spec.Values[0].(*ast.BasicLit); isLiteral {
			values = append(values, textOf(t, value))
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s has no constant that ends with %s", path, suffix)
	}
	return values
}

func textOf(t *testing.T, literal *ast.BasicLit) string {
	t.Helper()
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestEveryConditionIsExplained: each type and each reason is a row of a table of a chapter «Conditions».
func TestEveryConditionIsExplained(t *testing.T) {
	t.Parallel()
	var rows []string
	for _, path := range kindPages {
		for _, s := range readPage(t, path).sections {
			if s.chapter == "Conditions" {
				for _, cell := range s.firstCells() {
					rows = append(rows, spans(cell)...)
				}
			}
		}
	}
	const file = "api/v1alpha1/condition_types.go"
	for _, name := range slices.Concat(constants(t, file, "Condition"), constants(t, file, "Reason")) {
		if !slices.Contains(rows, name) {
			t.Errorf("no row explains %s", name)
		}
	}
	// Reasons that say no more than the status of their condition, from the table of conditions.
	known := append(constants(t, "internal/job/status/conditions.go", "Reason"),
		slices.Concat(constants(t, file, "Condition"), constants(t, file, "Reason"))...)
	for _, name := range rows {
		if !slices.Contains(known, name) {
			t.Errorf("the row %s explains something that does not exist", name)
		}
	}
}

// goesWell are the reasons that need no remedy.
var goesWell = []string{
	v1alpha1.QueuedReason, v1alpha1.FinalizingReason, v1alpha1.SucceededReason, v1alpha1.SuspendedReason, v1alpha1.AdmittedReason, v1alpha1.DelegatedToSchedulerReason,
	v1alpha1.ProgressingReason, v1alpha1.ProgressingWithRetryReason, v1alpha1.ActiveReason, v1alpha1.InputsChangedReason,
}

// TestEveryReasonHasARemedy: of what goes wrong, there is a row in the page.
func TestEveryReasonHasARemedy(t *testing.T) {
	t.Parallel()
	text := readPage(t, "docs/troubleshooting.md").text()
	for _, reason := range constants(t, "api/v1alpha1/condition_types.go", "Reason") {
		if !slices.Contains(goesWell, reason) && !strings.Contains(text, "`"+reason+"`") {
			t.Errorf("docs/troubleshooting.md has no row for %s", reason)
		}
	}
}

// events are the reasons of events that are those of no condition, by the files of their constants.
var events = map[string]string{
	"preemptingReason": "internal/job/lifecycle/admission.go", "followsReason": "internal/job/lifecycle/runs.go", "ttlIgnoredReason": "internal/job/lifecycle/retention.go",
	"reclaimedReason": "internal/job/lifecycle/elastic.go", "sidecarsEndedReason": "internal/job/lifecycle/ending.go", "objectRestored": "controllers/application/act.go",
	"statusRefused": "controllers/application/unwritten.go", "gatewayNotInstalled": "controllers/companions/companions.go", "CreateFailedReason": "internal/spark/expose/build.go",
	"unattributedReason": "controllers/unmanagedpods/unattributed.go", "Event": "controllers/schedule/events.go",
}

// TestEveryEventIsExplained under Events.
func TestEveryEventIsExplained(t *testing.T) {
	t.Parallel()
	text := chapter(t, "docs/operating.md", "Events")
	for name, path := range events {
		for _, reason := range constants(t, path, name) {
			if !strings.Contains(text, "`"+reason+"`") {
				t.Errorf("Events does not explain %s", reason)
			}
		}
	}
}

// chapter is the text of a section of a page.
func chapter(t *testing.T, path, heading string) string {
	t.Helper()
	for _, s := range readPage(t, path).sections {
		if s.heading == heading {
			return s.text()
		}
	}
	t.Fatalf("%s has no %s", path, heading)
	return ""
}

var ownFlags = regexp.MustCompile(`fs\.\w+Var\(&[\w.]+, "([a-z-]+)"`)

// TestEveryFlagIsExplained looks for the operator's own flags; those of Flux's packages are also listed in the page.
func TestEveryFlagIsExplained(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(root, "cmd/sparkgate/internal/options/options.go"))
	if err != nil {
		t.Fatal(err)
	}
	text := readPage(t, "docs/operating.md").text()
	flags := ownFlags.FindAllStringSubmatch(string(data), -1)
	if len(flags) == 0 {
		t.Fatal("no flag was found in the source")
	}
	for _, m := range flags {
		if !strings.Contains(text, "`--"+m[1]+"`") {
			t.Errorf("docs/operating.md does not explain --%s", m[1])
		}
	}
}

var metricName = regexp.MustCompile(`"(sparkgate_[a-z_]+)"`)

// TestEveryMetricIsExplained, and no other is.
func TestEveryMetricIsExplained(t *testing.T) {
	t.Parallel()
	text := readPage(t, "docs/operating.md").text()
	defined := map[string]bool{}
	for _, dir := range []string{"controllers", "queueing", "cmd"} {
		for _, data := range goFiles(t, filepath.Join(root, dir)) {
			for _, m := range metricName.FindAllStringSubmatch(data, -1) {
				defined[m[1]] = true
			}
		}
	}
	for name := range defined {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/operating.md does not explain %s", name)
		}
	}
	for _, name := range regexp.MustCompile("`(sparkgate_[a-z_]+)`").FindAllStringSubmatch(text, -1) {
		if !defined[name[1]] {
			t.Errorf("docs/operating.md explains %s, which does not exist", name[1])
		}
	}
}

// goFiles are the texts of the Go files below a folder that are part of the product.
func goFiles(t *testing.T, dir string) []string {
	t.Helper()
	var texts []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		texts = append(texts, string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
