// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestControllersStayAShell keeps knowledge of Spark and of quota, and decisions about runs, out of the packages that talk to the cluster.
func TestControllersStayAShell(t *testing.T) {
	const limit = 25 // percent of the product's lines
	lines := map[string]int{}
	total := 0
	for _, dir := range []string{"api", "queueing", "internal", "controllers", "cmd"} {
		lines[dir] = productLines(t, filepath.Join("..", "..", dir))
		total += lines[dir]
	}
	if share := 100 * lines["controllers"] / total; share >= limit {
		t.Errorf("controllers has %d %% of the product's lines, limit %d %% (%v): move what needs no client to internal or queueing", share, limit, lines)
	}
}

// productLines returns the lines of hand-written Go code below dir, without tests.
func productLines(t *testing.T, dir string) int {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "zz_generated") {
			return err
		}
		content, err := os.ReadFile(path)
		n += bytes.Count(content, []byte("\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
