// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package treeleases divides the trees of queues between the replicas of an operator: each tree has a lease of its own,
// and so has what is in no tree. Each replica also renews a lease that only shows that it is alive, so that each knows
// how many there are and takes its share.
package treeleases
