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

// Create opens a file for a new log. It renames an existing log by adding the suffix ".1", replacing an older one.
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

// ProgramVersion returns the version with which the running program was built, or the empty string if unknown.
func ProgramVersion() string {
	build, known := debug.ReadBuildInfo()
	if !known || build.Main.Version == "(devel)" {
		return ""
	}
	return build.Main.Version
}
