// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// TestSBOM lists what this very test was built from.
func TestSBOM(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var written [2][]byte
	for i := range written {
		out := filepath.Join(t.TempDir(), "sbom.json")
		if err := buildSBOM([]string{"--binary", program, "--version", "v1.2.3", "--out", out}); err != nil {
			t.Fatal(err)
		}
		if written[i], err = os.ReadFile(out); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(written[0], written[1]) {
		t.Error("the same program has two different lists")
	}
	var bill cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(written[0]), cdx.BOMFileFormatJSON).Decode(&bill); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, c := range *bill.Components {
		found = append(found, c.PackageURL)
	}
	for _, want := range []string{"pkg:golang/std@" + runtime.Version(), "pkg:golang/github.com/google/go-containerregistry@v"} {
		if !strings.Contains(strings.Join(found, "\n"), want) {
			t.Errorf("components %q, want %s…", found, want)
		}
	}
	if bill.Metadata.Component.Version != "v1.2.3" {
		t.Errorf("program %+v", bill.Metadata.Component)
	}
}

func TestSBOMIsRefused(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--version is missing": {"--binary", "a", "--out", "b"},
		"no Go program":        {"--binary", "/etc/passwd", "--version", "v1", "--out", filepath.Join(t.TempDir(), "x")},
	} {
		if err := buildSBOM(args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
}
