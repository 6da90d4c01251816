// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fencing runs the operator's program twice, with leader election, and stops the leader (SIGSTOP) in the middle of its work.
package fencing

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }
