// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package restart stops, kills, pauses and replaces the operator. Its tests do not run side by side: each has operators of its own.
package restart

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.MainAudited(m)) }

// start runs an operator on a good network.
func start(t *testing.T) *harness.Operator {
	t.Helper()
	return harness.StartOperator(t, harness.OperatorOptions{})
}
