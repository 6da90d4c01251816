// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package queue reconciles SparkQueues: it passes their configuration to the embedded queue and publishes the state
// that the embedded queue computes.
//
// The ledger in the same status belongs to the Embedded gate, which replaces it with optimistic concurrency. The counts
// of a queue with a ledger are written together with the ledger (see Counts). This package writes everything else, with
// merge patches that do not contain the ledger.
package queue
