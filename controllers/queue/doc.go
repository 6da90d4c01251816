// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queue reconciles SparkQueues: it hands their configuration to the embedded queue and publishes what that has
// counted.
//
// The ledger in the same status belongs to the gate Embedded, which swaps it by resource version. This package writes
// merge patches that do not mention it.
package queue
