// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package actors has all that act on a test's API server beside the test itself: the operator, run in this process and killed at
// will; a network between it and the API server that breaks; and what stands in for kubelet and Spark, because the server of the
// integration tests has no node.
package actors
