// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package preemption determines what pending asks may preempt, and creates their claims.
//
//	Round       one tree during one cycle: which classes may preempt at all, the plan for each, its claim
//	search      finds a smallest set of targets for one ask in one placement
//	candidates  what may be taken, in order: pods above base gangs before whole askers, others before the own queue
//	preemptor   whether one of them may be taken by the policies; by shares, if a queue above uses fair sharing
//
// A search simulates the release of targets in the quota forest, and leaves the forest as it was.
package preemption
