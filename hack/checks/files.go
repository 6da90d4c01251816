// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package checks

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Problem is one place that breaks a rule.
type Problem struct {
	// File is relative to the root of the repository.
	File string
	// Line counts from 1; 0 means the whole file.
	Line int
	Rule string
	Text string
}

// String formats the problem as compilers do, so that editors can jump to it.
func (p Problem) String() string { return fmt.Sprintf("%s:%d: %s: %s", p.File, p.Line, p.Rule, p.Text) }

// File is a text file of the repository.
type File struct {
	// Path is relative to the root, with slashes.
	Path string
	Data []byte
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// Generated reports whether a program wrote the file. Most rules do not apply to generated files.
func (f File) Generated() bool { return f.IsGo() && generated.Match(f.Data) }

// IsGo reports whether it is a Go file.
func (f File) IsGo() bool { return strings.HasSuffix(f.Path, ".go") }

// IsTest reports whether it is compiled only into tests.
func (f File) IsTest() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Lines returns the number of lines.
func (f File) Lines() int { return bytes.Count(f.Data, []byte{'\n'}) }

// ignored are folders without committed files. In a linked worktree, .git is a file.
var ignored = []string{".git", "bin", "out"}

// ReadRepository returns the text files below root in the order of their paths. It leaves out binary files.
func ReadRepository(root string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		skip := slices.Contains(ignored, rel)
		if d.IsDir() && skip {
			return fs.SkipDir
		}
		if skip || !d.Type().IsRegular() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.IndexByte(data, 0) < 0 {
			files = append(files, File{Path: filepath.ToSlash(rel), Data: data})
		}
		return nil
	})
	return files, err
}

// Sort sorts problems by file, line and text.
func Sort(problems []Problem) {
	slices.SortFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text))
	})
}
