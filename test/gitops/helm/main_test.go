// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package helm installs the operator's chart, and a chart with a job, from Git with Flux's real source- and helm-controller. The operator's
// program has the rights that the chart gives it. Only the node is played.
package helm

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/gitops/testbed"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) {
	var err1, err2 error
	settings.EventsAddr, err1 = systems.FreeAddress()
	settings.ReceiverAddr, err2 = systems.FreeAddress()
	if err := errors.Join(err1, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(harness.Main(m))
}

// settings have addresses that are set before any test runs.
var settings = systems.FluxSettings{Helm: true}

var (
	controllers = systems.Shared{Make: func() (*systems.System, error) { return systems.NewFlux(env.Cluster(), settings) }}
	operator    = testbed.Operator{Installed: true}
)
