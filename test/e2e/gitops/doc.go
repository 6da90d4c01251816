// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gitops has real Spark jobs come from Git with Flux's real controllers, which run as processes on the node. Flux takes long to
// compile, so its tests are slow ones; those of test/gitops cover more, with a node that the test plays.
package gitops
