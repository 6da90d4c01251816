// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/sparkgate/sparkgate/internal/offline"
)

// manifestEndings are the endings of the files that are read in a folder.
var manifestEndings = []string{".yaml", ".yml", ".json"}

// fileNames is the value of the flag -f, --filename.
type fileNames []string

func (n *fileNames) declare(flags *pflag.FlagSet) {
	flags.StringArrayVarP((*[]string)(n), "filename", "f", nil,
		"a file, a folder with all files below it that end with .yaml, .yml or .json, or - for standard input; can be repeated")
}

// read reads the files and folders, those of a folder in the order of their names. A file that is named twice is read
// once.
func (n fileNames) read(in io.Reader) ([]offline.File, error) {
	if len(n) == 0 {
		return nil, usageError{errors.New("name files with -f FILE")}
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
			text, err := read(path, in)
			if err != nil {
				return nil, err
			}
			files = append(files, offline.File{Name: shownName(path), Text: []byte(text)})
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

func shownName(path string) string {
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
		case !entry.IsDir() && slices.Contains(manifestEndings, filepath.Ext(path)):
			paths = append(paths, path)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s has no file that ends with %s", name, strings.Join(manifestEndings, ", "))
	}
	return paths, err
}
