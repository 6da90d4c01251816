// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package live shows applications while they change: as a table that is drawn again and again in a terminal, or as one
// line for each change where the output is not a terminal.
package live
