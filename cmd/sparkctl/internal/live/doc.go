// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package live shows applications while they change: on a terminal as a table that is redrawn, and otherwise as one
// line for each change.
package live
