// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package load has everything that acts on a benchmark's API server besides the operator: the user who applies
// applications, the bare client loop that the operator is compared with, and the stand-in for scheduler, kubelet and
// Spark.
//
// The loop does not know the operator's logic. It repeats the writes that the operator was seen to send for one
// application (Sample) for many applications, as often and in the same order.
package load
