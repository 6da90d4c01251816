// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"bufio"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Module is the path of the product's module. Patterns without a dot in their first element are relative to it.
const Module = "github.com/sparkgate/sparkgate"

// RuleImport is the name of the rule about dependencies.
const RuleImport = "import"

// Package is one package with its dependencies.
type Package struct {
	Path string
	// Imports are the imports of its own files.
	Imports []string
	// Deps are all dependencies, including those of its imports.
	Deps []string
}

// ListPackages returns the packages of a module with their dependencies, without those of tests.
func ListPackages(root string) ([]Package, error) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}};{{join .Imports " "}};{{join .Deps " "}}`, "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		if e, ok := err.(*exec.ExitError); ok {
			return nil, fmt.Errorf("go list: %s", e.Stderr)
		}
		return nil, err
	}
	var packages []Package
	s := bufio.NewScanner(strings.NewReader(string(out)))
	s.Buffer(nil, 1<<22)
	for s.Scan() {
		part := strings.Split(s.Text(), ";")
		packages = append(packages, Package{Path: part[0], Imports: strings.Fields(part[1]), Deps: strings.Fields(part[2])})
	}
	return packages, s.Err()
}

// Edge is a forbidden dependency: no package in From may depend on a package in To, directly or through others.
type Edge struct {
	// From has patterns; one with a leading "!" excludes.
	From []string
	To   []string
	// Direct limits the rule to imports by the package's own files.
	Direct bool
	Why    string
}

// Imports finds forbidden dependencies.
func Imports(packages []Package, forbidden []Edge) []Problem {
	var problems []Problem
	for _, p := range packages {
		for _, e := range forbidden {
			if !matchAny(e.From, p.Path) {
				continue
			}
			deps := p.Deps
			if e.Direct {
				deps = p.Imports
			}
			for _, d := range deps {
				if d != p.Path && matchAny(e.To, d) {
					problems = append(problems, Problem{File: relative(p.Path), Rule: RuleImport, Text: fmt.Sprintf("needs %s%s: %s", relative(d), through(packages, p, d), e.Why)})
				}
			}
		}
	}
	return problems
}

// through names the import through which a package depends on another one; empty if it imports it directly.
func through(packages []Package, p Package, dep string) string {
	if slices.Contains(p.Imports, dep) {
		return ""
	}
	for _, q := range packages {
		if slices.Contains(p.Imports, q.Path) && slices.Contains(q.Deps, dep) {
			return " through " + relative(q.Path)
		}
	}
	return " through another module"
}

// matchAny reports whether a path matches a list of patterns. The last pattern that matches decides.
func matchAny(patterns []string, path string) bool {
	found := false
	for _, p := range patterns {
		p, negative := strings.CutPrefix(p, "!")
		if match(p, path) {
			found = !negative
		}
	}
	return found
}

// match reports whether a path equals the pattern or, if the pattern ends in "/...", is below it.
func match(pattern, path string) bool {
	pattern = absolute(pattern)
	if base, below := strings.CutSuffix(pattern, "/..."); below {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// absolute completes a pattern that is relative to the product's module.
func absolute(pattern string) string {
	first, _, _ := strings.Cut(pattern, "/")
	if strings.Contains(first, ".") {
		return pattern
	}
	return Module + "/" + pattern
}

func relative(path string) string { return strings.TrimPrefix(path, Module+"/") }
