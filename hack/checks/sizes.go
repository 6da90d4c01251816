// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"
)

// Limits of size, so that a function fits on one screen and a file remains easy to grasp.
const (
	MaxFunctionLines  = 60
	MaxComplexity     = 12
	MaxTestComplexity = 15 // every assertion is a branch
	MaxParameters     = 4
	MaxFileLines      = 400
	MaxTestFileLines  = 800
	MaxMethods        = 45
)

// Names of the rules about size, as exceptions.go uses them.
const (
	RuleFunctionLines = "function-lines"
	RuleComplexity    = "complexity"
	RuleParameters    = "parameters"
	RuleFileLines     = "file-lines"
	RuleMethods       = "methods"
)

// Exception allows one function or file to break one rule.
type Exception struct {
	Rule string
	File string
	// Func is empty for a whole file; methods are named Type.Name.
	Func string
	Why  string
}

// Sizes checks the size limits in hand-written Go files. Functions of tests may have any number of lines, because their
// tables of cases are data. The methods of a type of the product are counted over all files of its package, and
// reported at the first of them.
func Sizes(files []File, exceptions []Exception) []Problem {
	s := sizes{used: map[Exception]bool{}, exceptions: exceptions, types: map[string]*methods{}}
	for _, f := range files {
		if f.IsGo() && !f.Generated() {
			s.file(f)
		}
	}
	for _, m := range s.order {
		s.limit(m.first, RuleMethods, m.count, MaxMethods)
	}
	for _, e := range exceptions {
		switch {
		case !s.used[e]:
			s.problems = append(s.problems, Problem{File: e.File, Rule: e.Rule, Text: fmt.Sprintf("remove the exception for %q: it is not needed", e.Func)})
		case e.Why == "":
			s.problems = append(s.problems, Problem{File: e.File, Rule: e.Rule, Text: fmt.Sprintf("give the exception for %q a reason", e.Func)})
		}
	}
	return s.problems
}

type sizes struct {
	exceptions []Exception
	used       map[Exception]bool
	problems   []Problem
	// types are by folder and name.
	types map[string]*methods
	order []*methods
}

// methods counts the methods of one type.
type methods struct {
	first place
	count int
}

func (s *sizes) file(f File) {
	maxLines, maxComplexity := MaxFileLines, MaxComplexity
	if f.IsTest() {
		maxLines, maxComplexity = MaxTestFileLines, MaxTestComplexity
	}
	s.limit(place{file: f.Path, line: 1}, RuleFileLines, f.Lines(), maxLines)

	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.Path, f.Data, parser.SkipObjectResolution)
	if err != nil {
		s.problems = append(s.problems, Problem{File: f.Path, Rule: "syntax", Text: err.Error()})
		return
	}
	for _, decl := range parsed.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		first, last := fset.Position(fn.Pos()).Line, fset.Position(fn.End()).Line
		at := place{file: f.Path, line: first, fn: funcName(fn)}
		if !f.IsTest() {
			s.limit(at, RuleFunctionLines, last-first+1, MaxFunctionLines)
		}
		s.limit(at, RuleComplexity, complexity(fn), maxComplexity)
		s.limit(at, RuleParameters, parameters(fn.Type.Params), MaxParameters)
		if inProduct(f.Path) && !f.IsTest() {
			s.method(at)
		}
	}
}

// method adds the function to the count of the type that it is a method of, if any.
func (s *sizes) method(at place) {
	name, _, ok := strings.Cut(at.fn, ".")
	if !ok {
		return
	}
	key := path.Dir(at.file) + "." + name
	m := s.types[key]
	if m == nil {
		m = &methods{first: place{file: at.file, line: at.line, fn: name}}
		s.types[key], s.order = m, append(s.order, m)
	}
	m.count++
}

// place is the place that a measurement belongs to.
type place struct {
	file string
	line int
	fn   string
}

func (s *sizes) limit(at place, rule string, got, limit int) {
	if got <= limit {
		return
	}
	for _, e := range s.exceptions {
		if e.Rule == rule && e.File == at.file && e.Func == at.fn {
			s.used[e] = true
			return
		}
	}
	text := fmt.Sprintf("%d is above the limit of %d", got, limit)
	if at.fn != "" {
		text = at.fn + ": " + text
	}
	s.problems = append(s.problems, Problem{File: at.file, Line: at.line, Rule: rule, Text: text})
}

// funcName returns Name or Type.Name.
func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// complexity returns McCabe's cyclomatic complexity: one, plus one for every branch, loop, case, and operator && or ||.
// Function literals count for the function that contains them.
func complexity(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// parameters counts the parameters, without a leading context or test, which are there by convention.
func parameters(list *ast.FieldList) int {
	n := list.NumFields()
	if n == 0 {
		return 0
	}
	kind := list.List[0].Type
	if star, isPointer := kind.(*ast.StarExpr); isPointer {
		kind = star.X
	}
	if s, isSelector := kind.(*ast.SelectorExpr); isSelector {
		if pkg, isName := s.X.(*ast.Ident); isName && (pkg.Name+"."+s.Sel.Name == "context.Context" || pkg.Name == "testing") {
			n--
		}
	}
	return n
}
