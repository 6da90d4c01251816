// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFolders: a folder, or a link to one, is read with its subfolders, except for hidden ones.
func TestFolders(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	folder, link := filepath.Join(top, "jobs"), filepath.Join(top, "current")
	for _, name := range []string{"a.yaml", "b/c.yml", ".git/d.yaml", "e.txt"} {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{folder, folder + "/", link, link + "/"} {
		files, err := FileNames{name}.Read(strings.NewReader(""))
		var got []string
		for _, f := range files {
			got = append(got, f.Name)
		}
		clean := filepath.Clean(name)
		if want := []string{clean + "/a.yaml", clean + "/b/c.yml"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
