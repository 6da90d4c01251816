// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/sparkgate/sparkgate/test/systems"
)

// releaseVariable names the folder of a release, as `make release` writes it. The tests install its chart with its
// image.
const releaseVariable = "SPARKGATE_RELEASE"

// deploy installs the operator with the chart of the release. On a cluster that an earlier run has left, it upgrades
// the operator.
func deploy() error {
	chart, err := chartFile()
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(filepath.Dir(chart), "SHA256SUMS"))
	if err != nil {
		return fmt.Errorf("read the checksums of the release: %w", err)
	}
	ctx := context.Background()
	// The namespace refuses pods that do not satisfy the restricted Pod Security Standard.
	if _, err := kubectl(ctx, "", "apply", "--filename", filepath.Join(cluster.root, "config", "manager", "namespace.yaml")); err != nil {
		return err
	}
	if _, err := helm(ctx, "status", operatorName); err == nil {
		if err := applyCRDs(ctx, chart); err != nil {
			return err
		}
	}
	// All releases of the tests have the same version: only the digest distinguishes their images.
	digest := sha256.Sum256(sums)
	_, err = helm(ctx, "upgrade", operatorName, chart, "--install", "--reset-values", "--set", "adopt.enabled=true", "--set-string", podAnnotation("release", hex.EncodeToString(digest[:8])), "--wait", "--timeout", Patience.String())
	return err
}

// applyCRDs replaces CRDs as the documentation says, because Helm never changes them.
func applyCRDs(ctx context.Context, chart string) error {
	crds, err := helm(ctx, "show", "crds", chart)
	if err != nil {
		return err
	}
	_, err = kubectl(ctx, crds, "apply", "--server-side", "--force-conflicts", "--filename", "-")
	return err
}

// UpgradeOperator upgrades the release so that a new pod of the operator replaces the current one, and waits until it
// is ready.
func UpgradeOperator(t *testing.T) {
	t.Helper()
	before := runningOperator(t).ContainerID
	chart, err := chartFile()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := helm(t.Context(), "upgrade", operatorName, chart, "--reuse-values", "--set-string", podAnnotation("upgrade", string(uuid.NewUUID())), "--wait", "--timeout", Patience.String()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the operator's former pod to be gone", func(ctx context.Context) (bool, error) {
		pods, err := operatorPods(ctx)
		return len(pods) == 1, err
	})
	if runningOperator(t).ContainerID == before {
		t.Fatal("the upgrade has not replaced the operator's pod")
	}
}

// podAnnotation sets an annotation of the operator's pod by a value of the chart.
func podAnnotation(name, value string) string {
	return `podAnnotations.e2e\.sparkgate\.io/` + name + "=" + value
}

func chartFile() (string, error) {
	folder := os.Getenv(releaseVariable)
	if folder == "" {
		return "", errors.New(releaseVariable + " does not name the folder of a release")
	}
	charts, err := filepath.Glob(filepath.Join(folder, "sparkgate-*.tgz"))
	if err != nil || len(charts) != 1 {
		return "", fmt.Errorf("%s=%s has the charts %v, want one: %w", releaseVariable, folder, charts, err)
	}
	return charts[0], nil
}

// helm runs Helm in the operator's namespace, with its files beside the kubeconfig.
func helm(ctx context.Context, args ...string) (string, error) {
	program, err := systems.Program(cluster.root, "helm", "helm")
	if err != nil {
		return "", err
	}
	for _, variable := range []string{"HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"} {
		if err := os.Setenv(variable, filepath.Join(filepath.Dir(os.Getenv("KUBECONFIG")), "helm")); err != nil {
			return "", err
		}
	}
	return run(ctx, "", program, append([]string{"--namespace", operatorNamespace}, args...)...)
}
