// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fast runs the operator beside the admission policy of config/fast, which puts the finalizer on applications as they are created.
package fast

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
