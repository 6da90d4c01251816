// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package schedules has the commands below "sparkctl schedule".
package schedules
