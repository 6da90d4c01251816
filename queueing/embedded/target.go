// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// exhausted reports whether nothing more can be taken.
func (v *target) exhausted() bool { return v.count == v.max }

// takeOne simulates the release of one more pod; returnOne reverts it.
func (v *target) takeOne(forest *quota.Forest) {
	v.count++
	forest.Remove(v.app.held.queue.node, v.vector)
}

func (v *target) returnOne(forest *quota.Forest) {
	v.count--
	forest.Add(v.app.held.queue.node, v.vector)
}

// simulateRelease simulates the release of all that were taken; undoRelease reverts it.
func (v *target) simulateRelease(forest *quota.Forest) {
	for range v.count {
		forest.Remove(v.app.held.queue.node, v.vector)
	}
}

func (v *target) undoRelease(forest *quota.Forest) {
	for range v.count {
		forest.Add(v.app.held.queue.node, v.vector)
	}
}

// shareRule is a rule by which an ask may preempt where the lowest queue above both it and the target uses fair
// sharing, of the two subtrees below that queue.
type shareRule int

const (
	// noShareRule: only what may be preempted whatever the shares are.
	noShareRule shareRule = iota
	// finalShare: also if the share of the ask's side, with the ask, is not greater than what the target leaves its own
	// side.
	finalShare
	// initialShare: also if the share of the ask's side, with the ask, is less than that of the target's side before.
	initialShare
)
