// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissingPackages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeTestFile(t, filepath.Join(dir, "there"), "")
	got := missingPackages([]requirement{
		{name: "there", dirs: []string{"/nowhere", dir}, deb: "first"},
		{name: "absent-1", dirs: []string{dir}, deb: "second"},
		{name: "absent-2", dirs: []string{dir}, deb: "second"},
		{name: "no-such-program-anywhere", deb: "third"},
		{name: "sh", deb: "fourth"},
	})
	if diff := cmp.Diff([]string{"second", "third"}, got); diff != "" {
		t.Errorf("packages (-want +got):\n%s", diff)
	}
}

func TestAptReason(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ output, want string }{
		"errors":    {"Reading...\nE: Unable to locate package x\nW: a warning\nE: two\nE: three\n", "Unable to locate package x; two"},
		"no reason": {"Reading...\n", "no reason given"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := aptReason(tt.output); got != tt.want {
				t.Errorf("aptReason = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestForbidServices(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before string // content of the policy file, none if empty
		during string
		after  string
	}{
		"no policy":                 {"", policyScript, ""},
		"the machine's own policy":  {"#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 0\n", "#!/bin/sh\nexit 0\n"},
		"left by a killed install":  {policyScript, policyScript, ""},
		"an empty one is kept also": {"\n", "\n", "\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "policy-rc.d")
			if tt.before != "" {
				writeTestFile(t, path, tt.before)
			}
			restore, err := forbidServices(path)
			if err != nil {
				t.Fatal(err)
			}
			if got := readOrEmpty(path); got != tt.during {
				t.Errorf("during: %q, want %q", got, tt.during)
			}
			if err := restore(); err != nil {
				t.Fatal(err)
			}
			if got := readOrEmpty(path); got != tt.after {
				t.Errorf("after: %q, want %q", got, tt.after)
			}
		})
	}
}

func readOrEmpty(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(content)
}

func TestSearchPath(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"":                   "/usr/local/sbin:/usr/sbin:/sbin:/usr/local/go/bin",
		"/usr/bin:/usr/sbin": "/usr/bin:/usr/sbin:/usr/local/sbin:/sbin:/usr/local/go/bin",
	} {
		if got := searchPath(path); got != want {
			t.Errorf("searchPath(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestRequireDisk(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "not", "there", "yet")
	if err := requireDisk(missing, 1, "test"); err != nil {
		t.Error(err)
	}
	if err := requireDisk(missing, 1<<62, "test"); err == nil {
		t.Error("more space than any disk has is said to be free")
	}
}
