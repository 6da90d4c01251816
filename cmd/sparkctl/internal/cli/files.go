// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sparkgate/sparkgate/internal/tools/offline"
)

// ManifestEndings are the endings of the files that are read in a folder.
var ManifestEndings = []string{".yaml", ".yml", ".json"}

// FileNames is the value of the flag -f, --filename.
type FileNames []string

// Declare adds the flag to those of a command.
func (n *FileNames) Declare(flags *pflag.FlagSet) {
	flags.StringArrayVarP((*[]string)(n), "filename", "f", nil,
		"a file, a folder with all files below it that end with .yaml, .yml or .json, or - for standard input; can be repeated")
}

// Read reads the files and folders, those of a folder in the order of their names. A file that is named twice is read
// once.
func (n FileNames) Read(in io.Reader) ([]offline.File, error) {
	if len(n) == 0 {
		return nil, UsageErrorf("name files with -f FILE")
	}
	var files []offline.File
	seen := map[string]bool{}
	for _, name := range n {
		paths, err := pathsOf(name)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if seen[filepath.Clean(path)] {
				continue
			}
			seen[filepath.Clean(path)] = true
			text, err := Read(path, in)
			if err != nil {
				return nil, err
			}
			files = append(files, offline.File{Name: ShownName(path), Text: []byte(text)})
		}
	}
	return files, nothingIn(files)
}

// nothingIn returns an error if no file has any text. Usually the program that should have written them has failed, and
// a check of nothing would pass.
func nothingIn(files []offline.File) error {
	names := make([]string, 0, len(files))
	for _, f := range files {
		if len(bytes.TrimSpace(f.Text)) > 0 {
			return nil
		}
		names = append(names, f.Name)
	}
	return fmt.Errorf("there is nothing in %s: if another program writes that, see whether it has failed", strings.Join(names, ", "))
}

// ShownName returns the name of a file for messages.
func ShownName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// pathsOf returns the files that a name stands for: itself, or the manifests in a folder and its subfolders, except for
// hidden ones.
func pathsOf(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	var paths []string
	root := name + string(filepath.Separator) // the trailing separator makes WalkDir follow a link to a folder
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.IsDir() && slices.Contains(ManifestEndings, filepath.Ext(path)):
			paths = append(paths, path)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s has no file that ends with %s", name, strings.Join(ManifestEndings, ", "))
	}
	return paths, err
}

// Read returns the content of a file, or of standard input if the name is -.
func Read(file string, in io.Reader) (string, error) {
	if file == "-" {
		text, err := io.ReadAll(in)
		return string(text), err
	}
	text, err := os.ReadFile(file)
	return string(text), err
}
