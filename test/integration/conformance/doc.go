// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package conformance plays the suite that every gate passes (queueing/gatetest) with the gates that need no other system.
package conformance
