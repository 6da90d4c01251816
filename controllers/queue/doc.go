// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queue reconciles SparkQueues: it hands their configuration to the embedded queue and publishes what that has
// counted.
//
// The ledger in the same status belongs to the gate Embedded, which swaps it by resource version. Counts of a queue with
// a ledger go with its writes (Counts); all else is written here, in merge patches that do not mention the ledger.
package queue
