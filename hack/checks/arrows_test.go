// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestArrows: the files of each package have an order in which few refer to one above them.
func TestArrows(t *testing.T) {
	t.Parallel()
	sources, exports, err := ListSources(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sources {
		t.Run(relative(s.Path), func(t *testing.T) {
			t.Parallel()
			upward, err := s.Upward(exports)
			if err != nil {
				t.Fatal(err)
			}
			if len(upward) > MaxUpward {
				t.Errorf("%s: %d files refer to one above them, at most %d may: move declarations to where files below use them\n%s",
					RuleArrows, len(upward), MaxUpward, strings.Join(upward, "\n"))
			}
		})
	}
}

// TestUpward counts a circle of two files once, and neither fields nor receivers.
func TestUpward(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package p\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.go", "type A struct{ n int }\nfunc (a A) one() int { return two(a) }")
	write("b.go", "func two(a A) int { return a.n }")
	write("c.go", "func (a A) three() int { return a.n }")
	got, err := Source{Path: "p", Dir: dir, Files: []string{"a.go", "b.go", "c.go"}}.Upward(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, []string{"a.go → b.go"}) && !slices.Equal(got, []string{"b.go → a.go"}) {
		t.Errorf("upward: %q, want one of the two between a.go and b.go", got)
	}
}
