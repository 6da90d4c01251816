// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volcano implements the gate Volcano, which leaves order and quota to the scheduler Volcano.
//
// Every attempt has a PodGroup of its own. It is created before the first pod, with minMember 1, and with minResources
// for the base gang. A group that counted all pods as members might never start, because the lead pod may create the
// others.
//
//	ask ──► PodGroup Pending ──► Inqueue ──► grant: pods carry the group's name and schedulerName volcano
//	              │                              │
//	              └─ a different ask gets        └─ release: the group is deleted; otherwise it would keep its quota for ever
//	                 another group
//
// All state is in the PodGroups and in the status of askers, so a new operator continues where the last one stopped.
// Groups of other owners are never touched. Volcano's kinds may be installed or removed while the operator runs.
//
// The package must not import controllers; no other package imports Volcano's types.
package volcano
