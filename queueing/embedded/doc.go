// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package embedded decides which applications may start, within the quota of a forest of queues.
//
//	Submit ──► waiting ──Cycle──► granted (assumed) ──Confirm──► granted ──Release──► gone
//	              ▲                     │                            ▲
//	              └───────Revert────────┘                Restore ────┘
//
// The Engine holds live state: queues, pending asks, grants and what they charge. It does no input or output, reads no
// clock, starts no goroutine and writes no log; the same calls in the same order give the same answers. The gate beside
// it brings the objects in, writes grants out, and holds the lock: an Engine is not safe for concurrent use.
//
// The package imports package quota and the contract in package queueing, and neither the API of Sparkgate nor a
// client.
//
// # How it is laid out
//
//	tree                        what is decided together: the queues below one root; a cycle visits dirty trees only
//	 └─ queue                   a name that is configured, asked for or charged
//	     └─ equivalenceClass    the asks of a queue with the same needs (signature), as a heap: priority, age, UID
//	         └─ app             one key, with its ask, its grant, or both
//
// If the first ask of an equivalence class does not fit, none of the class does, nor later in the same cycle: free
// quota only shrinks while grants are given. So a cycle tries each class until it fails once, and a thousand equal
// applications cost as much as one. A class has one verdict, which is worded when its reason changes and set on single
// applications only then; Changed returns their keys.
//
// The Engine is composed of parts, each with its own state. A part uses only parts above it:
//
//	hierarchy      the forest of queues, their quota and flavors
//	registry       the applications by key
//	holders        the grants that are charged
//	waiting        the pending asks
//	claims         quota that is being reclaimed for an ask
//	reservations   quota that is reserved for heads that have waited too long
//	admission      places asks and grants them; holds a tournament between the queues of a tree
//	preemption     searches targets and creates claims
//	elasticGrowth  grows grants beyond their base gangs
//	verdicts       says why asks are pending
//	explainer      explains that to people, and what would help
//
// # What may be relied on
//
//   - A new grant is never over quota, whatever was restored or cut before. See package quota for what that means.
//   - A grant stays until Release: no change of the configuration takes one away.
//   - A grant may be evicted (Eviction): because its queue is drained, or for a pending ask that may preempt its
//     holder. It stays charged until Release, and what is reclaimed for an ask is granted to no other (claim).
//   - If Cycle has made fewer grants than it might, no pending ask could be granted anything: it either does not fit,
//     or is blocked by a rule that its verdict names.
//   - Verdict messages name what is needed, the limit that blocks and whose limit it is. They do not change with what
//     is free.
//   - A new engine with the same queues, grants and asks decides the same. (A deleted queue that is still in use is
//     charged to its last parent, by a new engine to the one that it had when the grant was given, unless the queue is
//     listed with Deleted.)
package embedded
