// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Names of the rules that check the documentation's claims.
const (
	RuleGateName = "gate-name"
	RuleWrite    = "api-write"
	RuleAsker    = "asker-name"
)

// Claim is a statement of the documentation that code could contradict. The places in the code that do are counted by
// file.
type Claim struct {
	Rule string
	// In are the folders that the claim is about; a pattern with a leading "!" excludes.
	In []string
	// Known is the exact number of exceptions, or of places that the claim allows, by file.
	Known map[string]int
	// Remedy says what to do instead.
	Remedy string
	count  func(*ast.File) int
}

// Claims compares the places found in files with the known ones. If a known place is gone, its entry has to be removed,
// so that the list only shrinks.
func Claims(files []File, claims []Claim) []Problem {
	var problems []Problem
	for _, c := range claims {
		found := map[string]int{}
		for _, f := range files {
			if !f.IsGo() || f.IsTest() || f.Generated() || !matchAny(c.In, Module+"/"+f.Path) {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Data, parser.SkipObjectResolution)
			if err != nil {
				continue // the compiler reports it
			}
			if n := c.count(parsed); n > 0 {
				found[f.Path] = n
			}
		}
		problems = append(problems, c.compare(found)...)
	}
	return problems
}

func (c Claim) compare(found map[string]int) []Problem {
	paths := slices.Collect(maps.Keys(found))
	for path := range c.Known {
		if found[path] == 0 {
			paths = append(paths, path)
		}
	}
	var problems []Problem
	for _, path := range paths {
		switch got, known := found[path], c.Known[path]; {
		case got > known:
			problems = append(problems, Problem{File: path, Rule: c.Rule, Text: fmt.Sprintf("%d places, %d are known: %s", got, known, c.Remedy)})
		case got < known:
			problems = append(problems, Problem{File: path, Rule: c.Rule, Text: fmt.Sprintf("%d places, %d are known: write %d in hack/checks/claimlists.go", got, known, got)})
		}
	}
	return problems
}

var gateConstant = regexp.MustCompile(`^Gate(Embedded|Kueue|Volcano|YuniKorn|None)$`)

// gateNames counts comparisons with the name of a gate: by an operator, in a case, as the key of a map or an element of
// a list.
func gateNames(file *ast.File) int {
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.BinaryExpr:
			if x.Op == token.EQL || x.Op == token.NEQ {
				n += countGates(x.X, x.Y)
			}
		case *ast.CaseClause:
			n += countGates(x.List...)
		case *ast.CompositeLit:
			for _, element := range x.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					element = pair.Key
				}
				n += countGates(element)
			}
		}
		return true
	})
	return n
}

// countGates returns how many of the expressions are the name of a gate, with or without a conversion.
func countGates(expressions ...ast.Expr) int {
	n := 0
	for _, e := range expressions {
		if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
			e = call.Args[0]
		}
		switch x := e.(type) {
		case *ast.SelectorExpr:
			e = x.Sel
		case *ast.BasicLit:
			e = ast.NewIdent("Gate" + strings.Trim(x.Value, `"`))
		}
		if id, ok := e.(*ast.Ident); ok && gateConstant.MatchString(id.Name) {
			n++
		}
	}
	return n
}

// askerWord matches words that only hold for one kind of asker, in the parts of a name: SparkApplicationKind, driverCPU.
var askerWord = regexp.MustCompile(`(?i)driver|executor|application|sparkcluster|^"Pod"$`)

// askerNames counts the names and texts in which a kind of asker, or a pod set of one, stands. Import paths do not
// count.
func askerNames(file *ast.File) int {
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Ident:
			if askerWord.MatchString(x.Name) {
				n++
			}
		case *ast.BasicLit:
			if x.Kind == token.STRING && askerWord.MatchString(x.Value) {
				n++
			}
		}
		return true
	})
	return n
}

// writers are the methods of Kubernetes clients that change something on the API server.
var writers = []string{"Create", "Update", "UpdateStatus", "Patch", "Apply", "ApplyStatus", "Delete", "DeleteAllOf", "DeleteCollection", "Evict"}

// apiWrites counts calls that write to the API server: calls of methods in writers whose first argument is a context.
func apiWrites(file *ast.File) int {
	n := 0
	ast.Inspect(file, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains(writers, method.Sel.Name) && isContext(call.Args[0]) {
			n++
		}
		return true
	})
	return n
}

func isContext(e ast.Expr) bool {
	switch x := e.(type) {
	case *ast.Ident:
		return strings.HasSuffix(strings.ToLower(x.Name), "ctx")
	case *ast.CallExpr:
		called, ok := x.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		from, ok := called.X.(*ast.Ident)
		return ok && from.Name == "context"
	}
	return false
}
