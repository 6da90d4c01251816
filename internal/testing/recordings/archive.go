// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// Suffix ends the names of the repository's recordings: one txtar file for each case, <version>/<case>.txtar.
const Suffix = ".txtar"

// Archive is one recorded case of this repository.
type Archive struct {
	// SparkVersion and Case identify the recording.
	SparkVersion, Case string
	// Files are the recorded files by name; the README beside the recordings explains each.
	Files map[string][]byte
}

// Open reads the recording <version>/<case>.txtar.
func Open(path string) (Archive, error) {
	parsed, err := txtar.ParseFile(path)
	if err != nil {
		return Archive{}, err
	}
	name, isArchive := strings.CutSuffix(filepath.Base(path), Suffix)
	if !isArchive || len(parsed.Files) == 0 {
		return Archive{}, fmt.Errorf("%s is not a recording: want a file <version>/<case>%s with one part for each recorded file", path, Suffix)
	}
	archive := Archive{SparkVersion: filepath.Base(filepath.Dir(path)), Case: name, Files: map[string][]byte{}}
	for _, file := range parsed.Files {
		archive.Files[file.Name] = file.Data
	}
	return archive, nil
}
