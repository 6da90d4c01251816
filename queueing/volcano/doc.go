// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volcano is the gate that leaves order and quota to the scheduler Volcano.
//
// Every attempt has a PodGroup of its own, created before the driver, with minMember 1 and as minResources what the
// driver and its first executors need together. A group that counted driver and executors as members would never start:
// executors are created by the driver.
//
//	ask ──► PodGroup Pending ──► Inqueue ──► grant: pods carry the group's name and schedulerName volcano
//	              │                              │
//	              └─ a different ask gets        └─ release: the group is deleted; left over, it would keep its quota for ever
//	                 another group
//
// All state is in the PodGroups and the status of applications: a new operator continues where the last one ended. Groups
// of others are never touched. Volcano's kinds may come and go while the operator runs.
//
// It must not import controllers; no other package imports Volcano's types.
package volcano
