// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// typedConstants returns the values of the text constants of a type in a Go file.
func typedConstants(t *testing.T, path, typeName string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != typeName {
			return true
		}
		for _, value := range spec.Values {
			if literal, ok := value.(*ast.BasicLit); ok {
				values = append(values, textOf(t, literal))
			}
		}
		return true
	})
	if len(values) == 0 {
		t.Fatalf("%s has no constant of type %s", path, typeName)
	}
	return values
}

// TestEveryValueIsNamed: a section about a field with a closed set of values names each of them.
func TestEveryValueIsNamed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ path, typeName, page, heading string }{
		"reasons to stop": {"api/v1alpha1/status_types.go", "StopReason", "docs/spark-application.md", "`stopping`"},
		"gates":           {"api/v1alpha1/lifecycle_types.go", "GateType", "docs/spark-application.md", "`queue`"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var named []string
			for _, s := range readPage(t, tc.page).sections {
				if s.heading == tc.heading {
					named = append(named, spans(s.text())...)
				}
			}
			for _, value := range typedConstants(t, tc.path, tc.typeName) {
				if !slices.Contains(named, value) {
					t.Errorf("%s: the section %s does not name %s", tc.page, tc.heading, value)
				}
			}
		})
	}
}
