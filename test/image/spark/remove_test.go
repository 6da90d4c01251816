// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestRemoveLeavesOtherVersionsAndTheBase(t *testing.T) {
	t.Parallel()
	b, _ := newBuilder(t, &fakeHost{})
	dir := t.TempDir()
	for _, version := range []string{"9.9.9", "9.9.8"} {
		if err := b.Build(t.Context(), version, filepath.Join(dir, version+".tar")); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // what is not there is no error
		if err := b.Remove("9.9.9", filepath.Join(dir, "9.9.9.tar")); err != nil {
			t.Fatal(err)
		}
	}
	var left []string
	for _, pattern := range []string{filepath.Join(dir, "*"), filepath.Join(b.layerDir(), "*"), filepath.Join(b.Cache, "..", "spark", "*")} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			parts := strings.Split(filepath.Base(file), ".")
			left = append(left, strings.Join(parts[:min(3, len(parts))], "."))
		}
	}
	left = slices.DeleteFunc(left, func(name string) bool { return strings.HasPrefix(name, "base.") })
	if want := []string{"9.9.8", "examples-9.9.8", "spark-9.9.8", "9.9.8"}; !slices.Equal(left, want) {
		t.Errorf("beside the base, %q are left, want %q", left, want)
	}
	if base, _ := filepath.Glob(filepath.Join(b.layerDir(), "base.*")); len(base) != 1 {
		t.Errorf("of the base are left: %q", base)
	}
	if err := b.Remove("9.9", dir); err == nil || !exists(dir) {
		t.Errorf("a version that is none: error %v", err)
	}
}
