// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package argocd runs applications from Git: `git push` to a real server, Argo CD's real components with the configuration that gitops
// ships, and the operator's program with the flags and the rights of config. Only the node is played.
package argocd

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) {
	var err error
	if settings.ServerPort, err = systems.FreePort(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(harness.Main(m))
}

// settings has the port of Argo CD's API server. It is set before any test runs.
var settings systems.ArgoCDSettings

// Argo CD and the operator of all tests of the package that run at the same time.
var (
	components = systems.Shared{Make: func() (*systems.System, error) { return systems.NewArgoCD(env.Cluster(), settings) }}
	operator   testbed.Operator
)

// configure patches the configuration of Argo CD as gitops/README.md says.
func configure(t *testing.T) {
	t.Helper()
	file := filepath.Join(env.Root(), "gitops", "argocd", "argocd-cm.yaml")
	if _, err := env.Kubectl(t, "-n", systems.ArgoCDNamespace, "patch", "configmap", "argocd-cm", "--patch-file", file); err != nil {
		t.Fatal(err)
	}
}
