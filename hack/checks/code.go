// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Names of the rules about code.
const (
	RuleTime    = "time"
	RuleRequeue = "requeue"
)

// product are the folders whose code may read the time only from an injected clock.
var product = []string{"api/", "controllers/", "internal/", "queueing/"}

// clockReaders are the functions of package time that read the system clock or wait.
var clockReaders = []string{"Now", "Sleep", "Since", "Until", "After", "AfterFunc", "Tick", "NewTicker", "NewTimer"}

// Code finds calls that the product must not contain outside of its tests.
func Code(files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		if !f.IsGo() || f.IsTest() || f.Generated() || !inProduct(f.Path) {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			continue // Sizes reports it
		}
		clock := importName(parsed, "time")
		ast.Inspect(parsed, func(n ast.Node) bool {
			if p := badNode(n, clock); p.Rule != "" {
				p.File, p.Line = f.Path, fset.Position(n.Pos()).Line
				problems = append(problems, p)
			}
			return true
		})
	}
	return problems
}

// badNode returns the problem with one node of a file, in which package time has the name clock; a zero Problem if
// there is none.
func badNode(n ast.Node, clock string) Problem {
	switch x := n.(type) {
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && id.Name == clock && slices.Contains(clockReaders, x.Sel.Name) {
			return Problem{Rule: RuleTime, Text: "take the time from a k8s.io/utils/clock that is handed in"}
		}
	case *ast.KeyValueExpr:
		if id, ok := x.Key.(*ast.Ident); ok && id.Name == "Requeue" {
			return Problem{Rule: RuleRequeue, Text: "set RequeueAfter to the next deadline"}
		}
	}
	return Problem{}
}

func inProduct(file string) bool {
	return !strings.HasPrefix(file, "controllers/internal/testing/") && !strings.HasPrefix(file, "queueing/gatetest/") &&
		slices.ContainsFunc(product, func(dir string) bool { return strings.HasPrefix(file, dir) })
}

// importName returns the name that a package has in a file; empty if the file does not import it.
func importName(f *ast.File, pkg string) string {
	for _, i := range f.Imports {
		if p, err := strconv.Unquote(i.Path.Value); err == nil && p == pkg {
			if i.Name != nil {
				return i.Name.Name
			}
			return path.Base(pkg)
		}
	}
	return ""
}
