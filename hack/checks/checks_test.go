// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const header = "// Copyright 2026 The Sparkgate Authors.\n// SPDX-License-Identifier: Apache-2.0\n\n"

// file creates a Go file with a licence header.
func file(path, body string) File { return File{Path: path, Data: []byte(header + body)} }

// rules returns the rules that the problems break, in their order, as one text.
func rules(problems []Problem) string {
	Sort(problems)
	names := make([]string, 0, len(problems))
	for _, p := range problems {
		names = append(names, p.Rule)
	}
	return strings.Join(names, " ")
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		file File
		want string
	}{
		"fine":                       {file: file("a/doc.go", "// Package a is one.\npackage a\n")},
		"no header":                  {file: File{Path: "a/doc.go", Data: []byte("// Package a is one.\npackage a\n")}, want: RuleHeader},
		"script without a header":    {file: File{Path: "x", Data: []byte("#!/bin/sh\nexit\n")}, want: RuleHeader},
		"script with a header":       {file: File{Path: "x", Data: []byte("#!/bin/sh\n# Copyright 2026 The Sparkgate Authors.\n# SPDX-License-Identifier: Apache-2.0\n")}},
		"manifests carry none":       {file: File{Path: "x.yaml", Data: []byte("a: b\n")}},
		"a home":                     {file: File{Path: "x.yaml", Data: []byte("path: /home/joe/x\n")}, want: RulePath},
		"a path that only looks so":  {file: File{Path: "x.yaml", Data: []byte("path: /opt/spark/work/x and root:/root:\n")}},
		"unknown host":               {file: File{Path: "x.md", Data: []byte("https://mirror.example.net/x\n")}, want: RuleHost},
		"known host":                 {file: File{Path: "x.md", Data: []byte("https://spark.apache.org/docs and http://127.0.0.1:80/ and https://kubernetes\n")}},
		"package that is called so":  {file: file("a/util/doc.go", "// Package util is vague.\npackage util\n"), want: RulePackage},
		"package without a document": {file: file("a/a.go", "package a\n"), want: RulePackage},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := []File{tt.file}
			var all []Problem
			for _, problems := range [][]Problem{Headers(files), MachinePaths(files), Hosts(files, knownHosts), Packages(files)} {
				all = append(all, problems...)
			}
			if got := rules(all); got != tt.want {
				t.Errorf("rules broken: got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	packages := []Package{
		{Path: Module + "/queueing/quota", Imports: []string{Module + "/queueing"}, Deps: []string{Module + "/queueing", Module + "/api/v1alpha1"}},
		{Path: Module + "/queueing", Imports: []string{Module + "/api/v1alpha1"}, Deps: []string{Module + "/api/v1alpha1"}},
		{Path: Module + "/queueing/kueue", Imports: []string{Module + "/api/v1alpha1"}, Deps: []string{Module + "/api/v1alpha1"}},
	}
	tests := map[string]struct {
		edge Edge
		want string
	}{
		"through others": {
			edge: Edge{From: []string{"queueing/quota/..."}, To: []string{"api/..."}, Why: "no"},
			want: "queueing/quota:0: import: needs api/v1alpha1 through queueing: no",
		},
		"direct ones only": {edge: Edge{From: []string{"queueing/quota"}, To: []string{"api/..."}, Direct: true}},
		"taken out": {
			edge: Edge{From: []string{"queueing/...", "!queueing/quota", "!queueing"}, To: []string{"api/..."}, Why: "no"},
			want: "queueing/kueue:0: import: needs api/v1alpha1: no",
		},
		"others": {edge: Edge{From: []string{"queueing/..."}, To: []string{"controllers/..."}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range Imports(packages, []Edge{tt.edge}) {
				got = append(got, p.String())
			}
			if text := strings.Join(got, "\n"); text != tt.want {
				t.Errorf("problems: got %q, want %q", text, tt.want)
			}
		})
	}
}

func TestReadRepositoryLeavesOutWhatIsBuilt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, data := range map[string]string{"a.go": "// Package a is one.\npackage a\n", "bin/tool.go": "x", "out/x.go": "x", "image.png": "\x00\x01"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	files, err := ReadRepository(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0].Path != "a.go" {
		t.Errorf("files: got %v, want a.go alone", files)
	}
}
