// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package treeleases distributes the trees of queues among the replicas of the operator. Each tree has its own lease,
// and there is one more for everything that is in no tree. Each replica also renews a lease that only shows that it is
// alive. From these leases, every replica knows how many replicas there are, and so how many trees are its share.
package treeleases
