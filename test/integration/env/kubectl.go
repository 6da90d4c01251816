// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Kubectl runs kubectl as an administrator and returns its standard output. If the command fails, the error contains
// its standard error.
func Kubectl(t *testing.T, args ...string) (string, error) { return KubectlWith(t, "", args...) }

// KubectlWith is Kubectl with a standard input, for `kubectl apply -f -`.
func KubectlWith(t *testing.T, stdin string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), filepath.Join(server.assets, "kubectl"), args...)
	// A home folder of its own keeps kubectl's discovery cache out of the user's.
	command.Env = append(os.Environ(), "KUBECONFIG="+server.kubeconfig, "HOME="+filepath.Dir(server.kubeconfig))
	command.Stdin = strings.NewReader(stdin)
	var out, failure bytes.Buffer
	command.Stdout, command.Stderr = &out, &failure
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.String(), nil
}
