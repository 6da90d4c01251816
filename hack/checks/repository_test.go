// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root of the repository, seen from this package.
const root = "../.."

// TestRepository applies the rules about files to this repository.
func TestRepository(t *testing.T) {
	t.Parallel()
	files, err := ReadRepository(root)
	if err != nil {
		t.Fatal(err)
	}
	rules := map[string]func() []Problem{
		"headers":       func() []Problem { return Headers(files) },
		"machine paths": func() []Problem { return MachinePaths(files) },
		"hosts":         func() []Problem { return Hosts(files, knownHosts) },
		"packages":      func() []Problem { return Packages(files) },
		"logs":          func() []Problem { return Logs(files) },
		"words":         func() []Problem { return Words(files, excludedWords) },
		"comments":      func() []Problem { return CommentWords(files, excludedWords) },
	}
	for name, rule := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report(t, rule())
		})
	}
}

// TestDependencies applies the rules about imports to the packages of the product.
func TestDependencies(t *testing.T) {
	t.Parallel()
	packages, err := ListPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	report(t, Imports(packages, ForbiddenEdges))

	t.Run("api", func(t *testing.T) {
		t.Parallel()
		for _, p := range packages {
			if !matchAny([]string{"api/..."}, p.Path) {
				continue
			}
			for _, i := range p.Imports {
				if first, _, _ := strings.Cut(i, "/"); strings.Contains(first, ".") && !matchAny(apiAllowed, i) {
					t.Errorf("%s imports %s: only %s are allowed", relative(p.Path), i, strings.Join(apiAllowed, ", "))
				}
			}
		}
	})
}

// TestForbiddenEdgesMeanSomething finds a rule whose own packages have moved away: it would hold by saying nothing.
func TestForbiddenEdgesMeanSomething(t *testing.T) {
	t.Parallel()
	packages, err := ListPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range ForbiddenEdges {
		if !slices.ContainsFunc(packages, func(p Package) bool { return matchAny(e.From, p.Path) }) {
			t.Errorf("no package matches %v: %s", e.From, e.Why)
		}
	}
}

func report(t *testing.T, problems []Problem) {
	t.Helper()
	Sort(problems)
	for _, p := range problems {
		p.File = filepath.ToSlash(p.File)
		t.Error(p)
	}
}
