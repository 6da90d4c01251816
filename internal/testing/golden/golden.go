// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package golden

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating reports whether the test should write its golden files, for tests whose files contain several texts.
func Updating() bool { return *update }

// Compare fails the test if got is not the content of the file. With -update it writes the file instead. The path is
// relative to the folder of the package.
func Compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		Write(t, file, got)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s (-want +got; run with -update if this is right):\n%s", file, diff)
	}
}

// CompareYAML compares an object, written as YAML, with the content of the file.
func CompareYAML(t *testing.T, file string, object any) {
	t.Helper()
	got, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	Compare(t, file, string(got))
}

// Write replaces the content of a file, and fails the test if it cannot.
func Write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
