// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"cmp"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"slices"
)

func compareRanks(a, b *app) int {
	return cmp.Or(cmp.Compare(b.held.standing.Priority, a.held.standing.Priority), cmp.Compare(a.held.serial, b.held.serial))
}

func (r *ranking) insert(a *app) {
	at, _ := slices.BinarySearchFunc(*r, a, compareRanks)
	*r = slices.Insert(*r, at, a)
}

// remove removes an asker, whose priority must not have changed since it was inserted.
func (r *ranking) remove(a *app) {
	at, _ := slices.BinarySearchFunc(*r, a, compareRanks)
	*r = slices.Delete(*r, at, at+1)
}

// mayPreempt reports whether an ask of this priority may, by a policy within the queue, preempt any of the holders, or
// pods of them.
func (r ranking) mayPreempt(priority int32, within config.Policy) bool {
	if len(r) == 0 {
		return false
	}
	lowest := r[len(r)-1].held.standing.Priority
	return within == config.PreemptLowerPriority && lowest < priority || within == config.PreemptLowerOrNewerEqualPriority && lowest <= priority
}
