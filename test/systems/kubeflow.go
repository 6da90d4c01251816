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

// kubeflowModule is kubeflow's operator, of which tests need only the CRDs.
const kubeflowModule = "github.com/kubeflow/spark-operator/v2@v2.5.2"

// KubeflowCRDs returns the folder with the CRDs of kubeflow's operator, from Go's cache of modules.
func KubeflowCRDs() (string, error) {
	download := exec.Command("go", "mod", "download", "-json", kubeflowModule)
	download.Dir = os.TempDir() // it belongs to no module of ours
	out, err := download.Output()
	if err != nil {
		return "", fmt.Errorf("download %s: %w: %s", kubeflowModule, err, out)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("download %s: %w", kubeflowModule, err)
	}
	return filepath.Join(module.Dir, "config", "crd", "bases"), nil
}
