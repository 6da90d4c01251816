// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package golden

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCompareWithFlag sets the package's flag: no other test of the package may compare at the same time.
func TestCompareWithFlag(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pod.yaml")
	*update = true
	CompareYAML(t, file, map[string]int{"count": 2})
	*update = false
	got, err := os.ReadFile(file)
	if err != nil || string(got) != "count: 2\n" {
		t.Fatalf("file: got %q (%v), want the object as YAML", got, err)
	}
	CompareYAML(t, file, map[string]int{"count": 2})
	if failed := func() bool {
		probe := &testing.T{}
		Compare(probe, file, "count: 3\n")
		return probe.Failed()
	}(); !failed {
		t.Error("a difference does not fail the test")
	}
}
