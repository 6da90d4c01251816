// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Modules of which tests read files.
const (
	kubeflowModule = "github.com/kubeflow/spark-operator/v2@v2.5.2"
	argocdModule   = "github.com/argoproj/argo-cd/v3@v3.5.7"
)

// KubeflowCRDs returns the folder with the CRDs of kubeflow's operator.
func KubeflowCRDs() (string, error) {
	folder, err := moduleFolder(kubeflowModule)
	return filepath.Join(folder, "config", "crd", "bases"), err
}

// KubeflowHealth returns the script by which Argo CD finds the health of kubeflow's SparkApplications.
func KubeflowHealth() (string, error) {
	folder, err := moduleFolder(argocdModule)
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(folder, "resource_customizations", "sparkoperator.k8s.io", "SparkApplication", "health.lua"))
	return string(text), err
}

// moduleFolder returns the folder of a module in Go's cache.
func moduleFolder(name string) (string, error) {
	download := exec.Command("go", "mod", "download", "-json", name)
	download.Dir = os.TempDir() // it belongs to no module of ours
	out, err := download.Output()
	if err != nil {
		return "", fmt.Errorf("download %s: %w: %s", name, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("download %s: %w", name, err)
	}
	return module.Dir, nil
}
