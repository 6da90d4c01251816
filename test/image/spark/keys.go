// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package spark

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
)

// keys name what the layers and the image are built from. They hash sources, so
// a change of the code that makes a layer makes the layer anew.
type keys struct{ base, spark, examples, image string }

// madeBy lists, for each layer, the files and folders it is built from.
var madeBy = struct{ common, base, spark, examples []string }{
	common:   []string{"archive/layer.go", "archive/source.go"},
	base:     []string{"spark/base.go", "spark/keystore.go"},
	spark:    []string{"spark/pypi.go", "spark/layout.go"},
	examples: []string{"spark/examples.go", "examples", "rootfs"},
}

func keysOf(sources fs.FS, version string) (keys, error) {
	common, err := hash(sources, runtime.GOARCH, madeBy.common)
	if err != nil {
		return keys{}, err
	}
	var k keys
	if k.base, err = hash(sources, common, madeBy.base); err != nil {
		return keys{}, err
	}
	if k.spark, err = hash(sources, common+version, madeBy.spark); err != nil {
		return keys{}, err
	}
	if k.examples, err = hash(sources, k.spark, madeBy.examples); err != nil {
		return keys{}, err
	}
	k.image, err = hash(sources, k.base+k.spark+k.examples, []string{"spark/build.go", "archive/image.go"})
	return k, err
}

// hash returns 16 hex digits of seed and the names and contents of all files
// at paths, without tests.
func hash(sources fs.FS, seed string, paths []string) (string, error) {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\n", seed)
	for _, path := range paths {
		err := fs.WalkDir(sources, path, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
				return err
			}
			data, err := fs.ReadFile(sources, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%s %d\n%s\n", name, len(data), data)
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("key of %s: %w", path, err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}
