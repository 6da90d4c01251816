// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package objectstore

import (
	"os"
	"testing"

	"github.com/sparkgate/sparkgate/test/e2e/env"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }
