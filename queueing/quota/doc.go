// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package quota does the arithmetic for a forest of queues: what a queue may use, what it uses, and which limit blocks
// a need.
//
// It knows only names and integers: no API types, no Kubernetes, no clock, no log. It makes no decisions; package
// embedded does, based on what is computed here.
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
// Quota is additive: the nominal quota of an inner node adds to that of its children. A resource that no node of a tree
// names is not limited in that tree; one that some node names is 0 at every node that does not name it. Usage above the
// quota (after the quota was lowered) is a state like any other: nothing is revoked, and nothing is available that
// would increase the excess.
package quota
