// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kueue holds no code: the go.mod beside it pins the Kueue that tests run, and its `tool` line names the program.
//
// Kubernetes' modules are at the patch version of test/cluster, so that both share the build cache. The sums of
// sigs.k8s.io/scheduler-library stand in go.sum, because not every mirror of the checksum database knows that module.
package kueue
