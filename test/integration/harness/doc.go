// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package harness runs the programs that act on the API server of a test: the operator, in the test's process, which
// can be killed at any moment; a network between operator and API server that can fail; and stand-ins for the kubelet
// and Spark, because the API server of the integration tests has no node.
package harness
