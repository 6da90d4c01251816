// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package preemption determines what pending asks may preempt, and creates their claims.
//
//	Round       one tree during one cycle: which classes may preempt at all, the plan for each, its claim
//	search      finds a smallest set of targets for one ask in one placement
//	candidates  what may be taken, in order: grants that no caller has seen; pods above base gangs; whole askers; each
//	            of others before the own queue
//	preemptor   whether one of them may be taken by the policies; by shares, if a queue above uses fair sharing
//
// A claim for what no caller has seen withdraws it at once, and the ask may start; nothing that runs is lost.
//
// A search simulates the release of targets in the quota forest, and leaves the forest as it was.
package preemption
