// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quota is the arithmetic of a forest of queues: what a queue may use, what it uses, and who is in the way.
//
// It knows names and integers only: no API of Sparkgate, no Kubernetes, no clock, no log. It decides nothing; package
// embedded does, with what is computed here.
//
//	         root  nominal 4                 subtree = nominal + what the children lend
//	        ╱    ╲                           local   = the part of subtree that is never lent upward
//	team-a          team-b                   usage   = own use + what passes the local part of each child
//	nominal 3       nominal 5
//	borrowing 2     lending 1
//
// Per flavor and resource, for a node n:
//
//	subtree(n)   = nominal(n) + Σ over children min(subtree, lendingLimit)
//	local(n)     = max(0, subtree(n) − lendingLimit)           0 without a limit
//	passed(n)    = max(0, usage(n) − local(n))                 what the parent sees
//	usage(n)     = own use + Σ over children passed
//	available(n) = max(0, local − usage) + min(available(parent), subtree − local − passed + borrowingLimit)
//	available(root) = subtree − usage
//	potential(n) = local + potential(parent), at most subtree + borrowingLimit
//
// Quota is additive: the nominal of an inner node is a pool in addition to those of its children. A resource that no
// node of a tree names is not limited in that tree; one that some node names is 0 at every node that does not. A usage
// above the quota (the quota was cut) is a state like any other: nothing is taken back, and nothing is available that
// would make it worse.
package quota
