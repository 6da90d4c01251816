// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package adopt is the wing of what is known of other Spark operators: how their objects become ours. It is computed
// without a cluster, and nothing but what adopts imports it: what is decided and created does not know where an object
// came from. It may import internal/spark and what that may import.
package adopt
