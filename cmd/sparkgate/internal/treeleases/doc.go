// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package treeleases divides the trees of queues among the replicas of an operator: each tree has a lease of its own, and
// so has everything that is in no tree. Each replica also renews a lease that only shows that it is alive, so that all know
// how many there are, and how many trees are their share.
package treeleases
