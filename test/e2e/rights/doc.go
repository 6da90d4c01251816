// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package rights compares what the operator has been allowed with what it has done, after all other end-to-end tests: the audit log of
// the cluster has each of its requests. It runs last, and on its own only on a cluster where the others have run.
package rights
