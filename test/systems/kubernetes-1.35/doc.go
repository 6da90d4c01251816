// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kubernetes holds no code: the go.mod beside it pins the Kubernetes 1.35 that the local cluster can be built from, and its
// `tool` lines name the programs.
package kubernetes
