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

// Module is the path of the product's module; patterns without a dot in their first element are relative to it.
const Module = "github.com/sparkgate/sparkgate"

// RuleImport is the name of the rule about dependencies.
const RuleImport = "import"

// Package is one package and what it needs.
type Package struct {
	Path    string
	Imports []string // by its own files
	Deps    []string // all of them, also those of its imports
}

// ListPackages returns the packages of a module with what they need, tests left out.
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

// Edge says that no package in From may need a package in To, directly or through others.
type Edge struct {
	From   []string // patterns; a leading "!" takes out again
	To     []string
	Direct bool // only imports by the package's own files are meant
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

// through names an own import by which a package comes to need another one.
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

// matchAny reports whether a path is in a list of patterns. The last pattern that matches decides.
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

// match reports whether a path is the pattern, or below it where the pattern ends in "/...".
func match(pattern, path string) bool {
	pattern = absolute(pattern)
	if base, below := strings.CutSuffix(pattern, "/..."); below {
		return path == base || strings.HasPrefix(path, base+"/")
	}
	return path == pattern
}

// absolute completes a pattern of the product's own module.
func absolute(pattern string) string {
	first, _, _ := strings.Cut(pattern, "/")
	if strings.Contains(first, ".") {
		return pattern
	}
	return Module + "/" + pattern
}

func relative(path string) string { return strings.TrimPrefix(path, Module+"/") }
