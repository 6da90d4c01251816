// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sparkgate/sparkgate/test/systems"
)

// programs are the programs that envtest and the tests start.
var programs = []string{"kube-apiserver", "etcd", "kubectl"}

// findRoot returns the folder of the repository, relative to this source file.
func findRoot() (string, error) {
	_, file, _, ok := runtime.Caller(0)
	if !ok || !filepath.IsAbs(file) {
		return "", errors.New("cannot tell where the repository is: run the tests without -trimpath")
	}
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	if _, err := os.Stat(filepath.Join(root, "config", "crd", "bases")); err != nil {
		return "", fmt.Errorf("%s does not look like the repository: %w", root, err)
	}
	return root, nil
}

// findAssets returns the folder of the programs. It builds them unless KUBEBUILDER_ASSETS is set.
func findAssets(root string) (string, error) {
	dir := os.Getenv(AssetsVariable)
	from := AssetsVariable
	if dir == "" {
		from = "the build of test/cluster"
		var err error
		if dir, err = buildAssets(root); err != nil {
			return "", err
		}
	}
	for _, program := range programs {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			return "", fmt.Errorf("%s names the folder %q, which has no %s (unset %s to have them built): %w", from, dir, program, AssetsVariable, err)
		}
	}
	return dir, nil
}

// buildAssets compiles the programs of the local cluster unless they are in the user's cache. It prints its progress to
// standard error.
func buildAssets(root string) (string, error) {
	built, err := systems.Build(root)
	if err != nil {
		return "", fmt.Errorf("%s is not set, and %w", AssetsVariable, err)
	}
	return strings.Join(built, " "), nil
}
