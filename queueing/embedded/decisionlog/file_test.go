// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"os"
	"path/filepath"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestCreate: the last log is kept, older ones are not.
func TestCreate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "decisions.jsonl")
	for _, text := range []string{"first", "second", "third"} {
		file, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if now, before := read(t, path), read(t, path+".1"); now != "third" || before != "second" {
		t.Errorf("the log is %q, the one before it %q", now, before)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 2 {
		t.Errorf("files: %v, %v", files, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the log: %v, %v", info.Mode(), err)
	}
}

// TestCreateFails where there is no folder, or a folder in the way.
func TestCreateFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "missing", "log"), dir} {
		if file, err := Create(path); err == nil {
			t.Errorf("%s was made", file.Name())
		}
	}
}
