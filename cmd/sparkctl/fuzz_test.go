// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzSimulate: whatever is in the file, the tool terminates, and prints a reason if it fails.
func FuzzSimulate(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, stream string) {
		code, out, problem := call(stream, "simulate", "-f", "-")
		if code == 0 && !strings.Contains(out, `{"event":"summary"`) || code == 1 && problem == "" || code > 1 {
			t.Errorf("exit code %d, output %q, error %q", code, out, problem)
		}
	})
}
