// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package load has all that act on a benchmark's API server beside the operator: the user who applies applications, the bare
// client loop that the operator is compared with, and the stand-in for scheduler, kubelet and Spark.
//
// The loop knows nothing of the operator's logic. It repeats what the operator was seen to write for one application (Sample), for
// many, as often and in the same order.
package load
