// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// deviation is one entry of the list in the code.
type deviation struct {
	where  []string
	reason string
}

// listed reads a list from its source: the package is internal to the controllers.
func listed(t *testing.T, name string) []deviation {
	t.Helper()
	path := filepath.Join(root, "internal/spark/render", name)
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []deviation
	ast.Inspect(file, func(n ast.Node) bool {
		entry, isLiteral := n.(*ast.CompositeLit)
		if !isLiteral || entry.Type != nil {
			return true
		}
		var d deviation
		for _, element := range entry.Elts {
			field, isField := element.(*ast.KeyValueExpr)
			if !isField {
				return true
			}
			switch value := field.Value.(type) {
			case *ast.BasicLit:
				d.reason = textOf(t, value)
			case *ast.CompositeLit:
				for _, e := range value.Elts {
					d.where = append(d.where, textOf(t, e.(*ast.BasicLit)))
				}
			}
		}
		out = append(out, d)
		return false
	})
	if len(out) == 0 {
		t.Fatalf("%s has no deviations", path)
	}
	return out
}

// TestTheListsOfDeviationsAreThoseOfTheCode, entry by entry: a table row has the places in its first cell and the reason in its second.
func TestTheListsOfDeviationsAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	for chapter, file := range map[string]string{
		"The list": "deviations.go",
		"What spark-submit can do and Sparkgate refuses":  "rejections.go",
		"What depends on the submitting machine":          "submissionhost.go",
		"What spark-submit refuses and Sparkgate accepts": "accepted.go",
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			compareList(t, chapter, listed(t, file))
		})
	}
}

// compareList compares the table of a chapter with a list of the code.
func compareList(t *testing.T, chapter string, code []deviation) {
	t.Helper()
	var rows []string
	for _, s := range readPage(t, "docs/deviations.md").sections {
		if s.chapter != chapter {
			continue
		}
		for _, line := range s.lines {
			if strings.HasPrefix(line, "| `") {
				rows = append(rows, line)
			}
		}
	}
	if len(rows) != len(code) {
		t.Errorf("the page has %d entries, the code %d", len(rows), len(code))
	}
	for i, row := range rows[:min(len(rows), len(code))] {
		cells := strings.Split(row, "|")
		if got, want := spans(cells[1]), code[i].where; !slices.Equal(got, want) {
			t.Errorf("entry %d: the places are %q in the page, %q in the code", i+1, got, want)
		}
		if got, want := strings.TrimSpace(cells[2]), code[i].reason; got != want {
			t.Errorf("entry %d: the reason is %q in the page, %q in the code", i+1, got, want)
		}
	}
}
