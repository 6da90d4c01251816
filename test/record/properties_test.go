// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestNamesIn: what other versions have written stays.
func TestNamesIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "properties.txt")
	if names, err := namesIn(path); err != nil || len(names) != 0 {
		t.Errorf("without a file: %v, %v", names, err)
	}
	if err := os.WriteFile(path, []byte("spark.a\nspark.b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if names, err := namesIn(path); err != nil || len(names) != 2 || !names["spark.a"] {
		t.Errorf("got %v, %v", names, err)
	}
}

func TestConstantsOf(t *testing.T) {
	t.Parallel()
	class := "\xca\xfe\xba\xbe\x00\x00\x00\x3d" + "\x00\x06" + // five entries and one that is not there
		"\x01\x00\x07spark.a" + // a text
		"\x05\x00\x00\x00\x00\x00\x00\x00\x01" + // a long: two indexes
		"\x08\x00\x01" + // a string
		"\x01\x00\x02no" + "the rest"
	got, err := constantsOf([]byte(class))
	if want := []string{"spark.a", "no"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for i := range len(class) - len("the rest") {
		if _, err := constantsOf([]byte(class[:i])); err == nil {
			t.Errorf("no error after %d bytes", i)
		}
	}
}
