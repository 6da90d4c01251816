// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package gitops

import (
	"errors"
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/e2e/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// flux has Flux's controllers run while the test does. Ask for it before the namespace: what they have applied goes before they stop.
var flux = systems.Shared{Make: func() (*systems.System, error) {
	events, err1 := systems.FreeAddress()
	receiver, err2 := systems.FreeAddress()
	if err := errors.Join(err1, err2); err != nil {
		return nil, err
	}
	return systems.NewFlux(env.Cluster(), systems.FluxSettings{EventsAddr: events, ReceiverAddr: receiver})
}}
