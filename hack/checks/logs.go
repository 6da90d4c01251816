// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// RuleLog is the rule that log lines begin with a capital letter and name an error "error", as those of Kubernetes do.
const RuleLog = "log"

// Logs finds log lines of the product that break RuleLog.
func Logs(files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		if !f.isProduct() {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, f.Path, f.Data, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if text := wrongLog(call); text != "" {
					problems = append(problems, Problem{File: f.Path, Line: fset.Position(call.Pos()).Line, Rule: RuleLog, Text: text})
				}
			}
			return true
		})
	}
	return problems
}

// wrongLog returns the problem with a call that logs; empty if there is none, and for all other calls.
func wrongLog(call *ast.CallExpr) string {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isLogger(method.X) {
		return ""
	}
	// at is the index of the message among the arguments.
	at := map[string]int{"Info": 0, "Error": 1}
	message, logs := at[method.Sel.Name]
	if !logs || len(call.Args) <= message {
		return ""
	}
	if first, _ := utf8.DecodeRuneInString(literal(call.Args[message])); unicode.IsLower(first) {
		return "begin the message of a log line with a capital letter: what happens (Serving …), has happened (Listed …), or Failed to …"
	}
	for _, arg := range call.Args[message+1:] {
		if literal(arg) == "why" {
			return `name the value "error" if it is one, else "reason"`
		}
	}
	return ""
}

// isLogger reports whether an expression is a logger, by its name: log, o.Log, ctrl.LoggerFrom(ctx), log.V(1).
func isLogger(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return strings.HasSuffix(strings.ToLower(e.Name), "log")
	case *ast.SelectorExpr:
		return strings.HasSuffix(strings.ToLower(e.Sel.Name), "log")
	case *ast.CallExpr:
		method, ok := e.Fun.(*ast.SelectorExpr)
		return ok && (strings.Contains(method.Sel.Name, "Logger") || isLogger(method.X))
	}
	return false
}

// literal returns the value of a string literal; empty for anything else.
func literal(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}
