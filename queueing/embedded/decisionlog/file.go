// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package decisionlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
)

// Create opens a file for a new log. A log that is there already is kept with the ending ".1", in place of an older
// one.
func Create(path string) (*os.File, error) {
	switch before, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("create a decision log: %w", err)
	case before.Mode().IsRegular():
		if err := os.Rename(path, path+".1"); err != nil {
			return nil, fmt.Errorf("keep the last decision log: %w", err)
		}
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create a decision log: %w", err)
	}
	return file, nil
}

// ProgramVersion returns the version of the running program, as it was built; empty if that is not known.
func ProgramVersion() string {
	build, known := debug.ReadBuildInfo()
	if !known || build.Main.Version == "(devel)" {
		return ""
	}
	return build.Main.Version
}
