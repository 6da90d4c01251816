// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package helm installs the operator's chart, and a chart with a job, from Git with Flux's real source- and helm-controller. The operator's
// program has the rights that the chart gives it. Only the node is played.
package helm

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

var (
	controllers = systems.Shared{Make: func() (*systems.System, error) {
		return systems.NewFlux(env.Cluster(), systems.FluxSettings{Helm: true})
	}}
	operator = testbed.Operator{Installed: true}
)
