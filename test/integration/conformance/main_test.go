// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// nothingElse is why a gate without another system lacks what concerns one.
const nothingElse = "there is no other system"

// alone returns the functions that a gate without another system lacks.
func alone(more map[string]string) map[string]string {
	cannot := map[string]string{}
	for _, function := range []string{"Restart", "Exists", "Delete", "Occupy", "Vacate", "Occupied", "Uninstall", "Install"} {
		cannot[function] = nothingElse
	}
	for function, why := range more {
		cannot[function] = why
	}
	return cannot
}
