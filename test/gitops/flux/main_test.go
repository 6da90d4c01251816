// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package flux runs applications from Git: `git push` to a real server, Flux's real controllers, and the operator's program with the
// flags and the rights of config. Only the node is played.
package flux

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
	addresses.EventsAddr, err1 = systems.FreeAddress()
	addresses.ReceiverAddr, err2 = systems.FreeAddress()
	if err := errors.Join(err1, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	operator.Flags = []string{"--events-addr=http://" + addresses.EventsAddr + "/"}
	os.Exit(harness.Main(m))
}

// addresses of notification-controller; the operator sends its events there. They are set before any test runs.
var addresses systems.FluxSettings

// The controllers and the operator of all tests of the package that run at the same time.
var (
	controllers = systems.Shared{Make: func() (*systems.System, error) { return systems.NewFlux(env.Cluster(), addresses) }}
	operator    testbed.Operator
)
