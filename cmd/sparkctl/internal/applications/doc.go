// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package applications has the commands about applications: those that the help of sparkctl lists under "Applications".
package applications
