// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAssetsFolderWithoutPrograms(t *testing.T) {
	dir := t.TempDir()
	for _, program := range programs[:2] {
		if err := os.WriteFile(filepath.Join(dir, program), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(AssetsVariable, dir)
	_, err := findAssets("unused")
	if err == nil {
		t.Fatal("a folder without kubectl was accepted")
	}
	for _, want := range []string{AssetsVariable, dir, "kubectl"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message does not name %q: %v", want, err)
		}
	}
}

func TestBuildFailureIsReported(t *testing.T) {
	t.Setenv(AssetsVariable, "")
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "test", "cluster"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := findAssets(root)
	if err == nil || !strings.Contains(err.Error(), AssetsVariable+" is not set") || !strings.Contains(err.Error(), "build --print-assets") {
		t.Errorf("the message does not say what failed and why it was tried: %v", err)
	}
}
