// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes the image of a Spark version and what the cache keeps of that
// version alone. The base layer stays: all versions share it. What is not there
// is not an error.
func (b Builder) Remove(version, out string) error {
	if _, err := tagsOf(version); err != nil {
		return err
	}
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	files := []string{out}
	for _, name := range []string{"spark-", "examples-"} {
		// Glob fails only for a malformed pattern, which this is not.
		layers, _ := filepath.Glob(filepath.Join(b.layerDir(), name+version+".????????????????.*.tar"))
		files = append(files, layers...)
	}
	errs := []error{os.RemoveAll(b.home(version))}
	for _, file := range files {
		if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	b.Progress.Say("removed: Spark %s and its image", version)
	return nil
}

// home is where a Spark distribution is unpacked.
func (b Builder) home(version string) string { return filepath.Join(b.Cache, "..", "spark", version) }
