// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package embedded decides which applications may start, within the quota of a forest of queues.
//
//	Submit ──► waiting ──Cycle──► granted (assumed) ──Confirm──► granted ──Release──► gone
//	              ▲                     │                            ▲
//	              └───────Revert────────┘                Restore ────┘
//
// The Engine holds live state: queues, who waits, who holds a grant, what is charged. It does no input or output, reads no
// clock, starts no goroutine and writes no log; the same calls in the same order give the same answers. The runner beside it
// brings the objects in, writes grants out, and holds the lock: an Engine is not safe for concurrent use.
//
// The package imports package quota and the contract in package queueing, and neither the API of Sparkgate nor a client.
//
// # How it is laid out
//
//	tree             what is decided together: the queues below one root; a pass looks at dirty trees only
//	 └─ queue        a name that is configured, asked for or charged
//	     └─ line     those in a queue who ask for the same pods (shape), as a heap: priority, age, UID
//	         └─ app  one key, with its ask, its grant, or both
//
// What does not fit for the first of a line fits for none of it, and not later in the same pass either: room only shrinks while
// grants are made. So a pass tries each line until it fails once, and a thousand equal applications cost as much as one. A line has
// one verdict, which is worded when its cause changes and passed on to single applications only then; Changed names these.
//
// # What may be relied on
//
//   - A grant is never over quota when it is made, whatever was restored or cut before. See package quota for what that means.
//   - A grant stays until Release: no change of the configuration takes one away.
//   - A grant may be asked back (Eviction): because its queue is drained, or for one who waits and may displace its holder. It stays
//     charged until Release, and what is taken back for somebody is kept for that one (claim).
//   - When Cycle has made fewer grants than it might, nobody who waits could be granted anything: it either does not fit, or is
//     kept back by a rule that its verdict names.
//   - Verdict texts name what is needed, the limit in the way and whose limit it is. They do not move with what is free.
//   - An engine that is built anew from the same queues, grants and asks decides the same. (A queue that was deleted while it was
//     in use weighs on its last parent; to keep that over a restart, list it with Deleted.)
package embedded
