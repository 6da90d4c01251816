// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/rest"
)

// Cluster is the API server that a system works with.
type Cluster struct {
	Config *rest.Config // an administrator's
	// Kubeconfig is a file with the same access, for the programs.
	Kubeconfig string
	Root       string // folder of the repository
}

// Build compiles systems, without names Kubernetes itself, unless they are in the user's cache folder, and returns their folders.
// Progress goes to standard error.
func Build(root string, names ...string) ([]string, error) {
	command := exec.Command("go", append([]string{"run", "./localcluster", "build", "--print-assets"}, names...)...)
	command.Dir = filepath.Join(root, "test", "cluster")
	command.Stderr = os.Stderr
	var out bytes.Buffer
	command.Stdout = &out
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("`%s` in %s failed: %w", strings.Join(command.Args, " "), command.Dir, err)
	}
	return strings.Fields(out.String()), nil
}

// FolderVariable returns the name of the environment variable that names the folder of a built system:
// SPARKGATE_FLUX_SOURCE for flux-source.
func FolderVariable(name string) string {
	return "SPARKGATE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// Program returns the path of a program that tests call and that ends on its own, such as helm.
func Program(root, system, name string) (string, error) {
	dir, err := findBuild(root, system)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "bin", name), nil
}

// findBuild returns the folder of a system. It builds the system unless the variable is set.
func findBuild(root, name string) (string, error) {
	variable := FolderVariable(name)
	dir := os.Getenv(variable)
	if dir == "" {
		built, err := Build(root, name)
		if err != nil {
			return "", fmt.Errorf("%s is not set, and %w", variable, err)
		}
		if len(built) != 1 {
			return "", fmt.Errorf("the build of %s printed %q, not one folder", name, built)
		}
		dir = built[0]
	}
	if _, err := os.Stat(filepath.Join(dir, "bin")); err != nil {
		return "", fmt.Errorf("%s is no build of %s (unset %s to have it built): %w", dir, name, variable, err)
	}
	return dir, nil
}
