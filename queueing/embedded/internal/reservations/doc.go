// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package reservations keeps quota for the heads of queues that have waited too long, and has the time by which that is
// measured.
package reservations
