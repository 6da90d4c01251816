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

// manifestEndings are the files of a folder that are read.
var manifestEndings = []string{".yaml", ".yml", ".json"}

// fileNames are the values of the flag -f, --filename.
type fileNames []string

func (n *fileNames) declare(flags *pflag.FlagSet) {
	flags.StringArrayVarP((*[]string)(n), "filename", "f", nil,
		"a file, a folder with everything below it that ends with .yaml, .yml or .json, or - for the standard input; can be given several times")
}

// read reads the files, and those in folders, in the order of their names. A file that is named twice is read once.
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

// nothingIn returns an error for files without any text: as a rule the program that was to write them has failed, and a
// check that passes then checks nothing.
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

// pathsOf returns the files that a name stands for. Hidden folders are left out.
func pathsOf(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return []string{name}, err
	}
	var paths []string
	root := name + string(filepath.Separator) // a link to a folder is followed
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
