// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// exhausted reports whether nothing more can be taken.
func (v *target) exhausted() bool { return v.count == v.max }

// takeOne simulates the release of one more unit; returnOne reverts it.
func (v *target) takeOne(forest *quota.Forest) {
	v.count++
	forest.Remove(v.app.held.queue.node, v.vector)
}

func (v *target) returnOne(forest *quota.Forest) {
	v.count--
	forest.Add(v.app.held.queue.node, v.vector)
}

// simulateRelease simulates the release of all units that were taken; undoRelease reverts it.
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

// shareRule is a rule by which an ask may preempt if its common ancestor with the target uses fair sharing. The rules
// compare the shares of the two sides, which are the subtrees below that ancestor.
type shareRule int

const (
	// noShareRule allows only what may be preempted regardless of shares.
	noShareRule shareRule = iota
	// finalShare also allows preemption if the share of the ask's side, including the ask, is at most the share that
	// the target's side keeps.
	finalShare
	// initialShare also allows preemption if the share of the ask's side, including the ask, is less than the share of
	// the target's side before it.
	initialShare
)
