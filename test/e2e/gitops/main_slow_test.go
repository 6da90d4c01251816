// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package gitops

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/e2e/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// flux has Flux's controllers run while the test does. Ask for it before the namespace: what they have applied goes before they stop.
var flux = systems.Shared{Make: func() (*systems.System, error) { return systems.NewFlux(env.Cluster(), systems.FluxSettings{}) }}
