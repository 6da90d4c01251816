// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// target is what a holder may have to release: pods above its base gang in one flavor, or, if it is whole, all that
// the application has left.
type target struct {
	app   *app
	whole bool
	// flavor of the pods, and how many there are.
	flavor string
	max    int32
	// count of the pods that are to go; 1 for a whole application that is.
	count int32
	// vector is what one of them needs.
	vector quota.Vector
	// byBorrower: the ask borrows itself, and reclaims nothing. byShare: only because of the shares of both sides.
	byBorrower, byShare bool
}

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
