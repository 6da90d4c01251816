// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package admission places asks and turns them into grants.
//
// In each tree, claims whose quota has become free are admitted first. Then the queues hold a Tournament: each competes
// with its first ask that fits or may preempt, and the best ask has its turn, until none is left.
package admission
