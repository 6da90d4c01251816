// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package trees runs several replicas of the operator's program, which lead trees of queues side by side, and kills them
// under load.
package trees

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
