// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rights compares the operator's rights with what it has done, after all other end-to-end tests: the audit log
// of the cluster has each of its requests. It runs last; on its own it is useful only on a cluster where the others
// have run.
package rights
