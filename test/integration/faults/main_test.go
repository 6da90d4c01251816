// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package faults breaks every write of the operator in every position of an application's life: each in one way, and with -exhaustive in
// every way.
package faults

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
