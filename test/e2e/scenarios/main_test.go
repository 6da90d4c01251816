// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package scenarios

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
