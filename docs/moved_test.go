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

// TestThePageHasEveryFieldThatMoved: what sparkctl lint says of fields of kubeflow's operator, the tables of the page say as well.
func TestThePageHasEveryFieldThatMoved(t *testing.T) {
	t.Parallel()
	var named []string
	for _, s := range readPage(t, "docs/adoption.md").sections {
		named = append(named, spans(s.text())...)
	}
	fields := keysOf(t, "internal/tools/offline/internal/manifests/kubeflow.go", "moved")
	if len(fields) < 20 {
		t.Fatalf("only %d fields were found", len(fields))
	}
	for _, field := range fields {
		name := field[strings.LastIndexByte(field, '.')+1:]
		if !slices.ContainsFunc(named, func(span string) bool { return strings.Contains(span, name) }) {
			t.Errorf("the page does not name %s", field)
		}
	}
}

// keysOf returns the keys of a map of texts that a Go file declares.
func keysOf(t *testing.T, path, variable string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		if spec.Names[0].Name != variable {
			return false
		}
		for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
			keys = append(keys, textOf(t, element.(*ast.KeyValueExpr).Key.(*ast.BasicLit)))
		}
		return false
	})
	return keys
}
