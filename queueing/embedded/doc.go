// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package embedded decides which askers may start, within the quota of a forest of queues.
//
//	Submit ──► waiting ──Cycle──► granted (assumed) ──Confirm──► granted ──Release──► gone
//	              ▲                     │                            ▲
//	              └───────Revert────────┘                Restore ────┘
//
// The Engine holds live state: queues, pending asks, grants and what they charge. It does no I/O, reads no clock,
// starts no goroutine and logs nothing; the same calls in the same order give the same results. It is not safe for
// concurrent use. Package gate connects it to the cluster: it feeds the engine with objects, writes its grants, and
// holds the lock.
//
// The package imports package quota and the contract in package queueing, but neither Sparkgate's API types nor a
// client.
//
// # Structure
//
// If the first ask of an equivalence class, which are the asks of a queue with the same needs, does not fit, no other
// ask of the class does, and none will later in the same cycle, because free quota only shrinks while grants are made.
// So a cycle tries each class until it fails once, and a thousand equal askers cost as much as one. A class has one
// verdict. Its message is built when the reason changes, and only then set on the single askers; Changed returns their
// keys.
//
// The Engine is composed of parts, each in a package of its own. A part uses only parts above it:
//
//	config                 what queues and flavors may say
//	internal/placement     where pods may be placed: signatures, flavors, searches
//	internal/state         the trees of queues, the askers by key, the grants that are charged
//	internal/waiting       the pending asks, and which of them can ever be admitted
//	internal/claims        quota that is being reclaimed for an ask
//	internal/reservations  quota that is reserved for heads that have waited too long
//	internal/preemption    searches targets and creates claims
//	internal/admission     places asks and grants them; holds a tournament between the queues of a tree
//	internal/growth        grows grants beyond their base gangs
//	internal/verdicts      says why asks are pending
//	explain                explains that to users, what would unblock an ask, and how full queues are
//
// # Guarantees
//
//   - A new grant never exceeds quota, whatever was restored or whichever quota was lowered before. Package quota
//     defines what that means.
//   - A grant stays until Release: no change of the configuration removes it.
//   - A grant may be evicted (Eviction) because its queue is drained, or for a pending ask that may preempt its holder.
//     It stays charged until Release, and what is reclaimed for one ask is granted to no other (claim).
//   - If Cycle makes fewer grants than its maximum, no pending ask could have been granted anything more: each either
//     does not fit, or is blocked by a rule that its verdict names.
//   - Verdict messages name the need, the limit that blocks it and the queue of that limit. They do not change with
//     what is free at the moment.
//   - A new engine with the same queues, grants and asks makes the same decisions. There is one exception: the grants
//     of a deleted queue are charged to its last parent, but by a new engine to the parent at the time of the grant,
//     unless the queue is configured with Deleted.
package embedded
