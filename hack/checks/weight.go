// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"
)

// Weight returns the lines of code of the product by top folder: those with a token that is no comment, without
// generated files and tests.
func Weight(files []File) map[string]int {
	lines := map[string]int{}
	for _, f := range files {
		if f.isProduct() {
			top, _, _ := strings.Cut(f.Path, "/")
			lines[top] += codeLines(f.Data)
		}
	}
	return lines
}

// Total returns the sum over all folders.
func Total(weight map[string]int) int {
	total := 0
	for _, lines := range weight {
		total += lines
	}
	return total
}

// OverBudget reports a product with more lines of code than its budget.
func OverBudget(files []File, budget int) []Problem {
	total := Total(Weight(files))
	if total <= budget {
		return nil
	}
	return []Problem{{File: "hack/checks/exceptions.go", Rule: "budget", Text: fmt.Sprintf(
		"the product has %d lines of code, its budget is %d: raise it only in a commit that says what was taken away in exchange, or why nothing could be", total, budget)}}
}

// product are the folders of the product.
var product = []string{"api", "cmd", "config", "controllers", "internal", "queueing"}

// testFolders are the names of folders with packages that only tests import.
var testFolders = []string{"gatetest", "testdata", "testing"}

// isProduct reports whether the file is hand-written Go code that is compiled into a program of the product.
func (f File) isProduct() bool {
	folders := strings.Split(f.Path, "/")
	return f.IsGo() && !f.IsTest() && !f.Generated() && slices.Contains(product, folders[0]) &&
		!slices.ContainsFunc(folders, func(name string) bool { return slices.Contains(testFolders, name) })
}

func codeLines(source []byte) int {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, 0)
	seen := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(seen)
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // the scanner has added it
		}
		first := file.Line(pos)
		for line := first; line <= first+strings.Count(text, "\n"); line++ {
			seen[line] = true
		}
	}
}
