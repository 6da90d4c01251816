// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// Target is what a holder may have to release: pods above its base gang in one flavor, or everything the asker has
// left, if Whole is true.
type Target struct {
	Asker *Asker
	Whole bool
	// Flavor is the flavor of the pods, and Max is how many there are.
	Flavor string
	Max    int32
	// Count is how many of the pods must go; 1 for a whole asker that must go.
	Count int32
	// Vector is the need of one of them.
	Vector quota.Vector
	// ByBorrower is true if the ask borrows itself, so that it reclaims nothing. ByShare is true if the target is
	// eligible only because of the shares of both sides.
	ByBorrower, ByShare bool
}

// PreemptionPlan is how an ask can be admitted by preemption.
type PreemptionPlan struct {
	Asker  *Asker
	Option *placement.Option
	// Targets are to be preempted; Awaited are terminating anyway.
	Targets []*Target
	Awaited []queueing.Key
	// Distance is over how many levels the ask borrows once the targets are gone. Own is 1 if one of them is in the
	// ask's own queue, else 0.
	Distance, Own int
	// Version is the HolderVersion for which the plan was made.
	Version uint64
}

// Claim is quota that is being reclaimed for one ask, enough for its minimum of pods. What the targets hold is granted
// to no other ask, and not as pods beyond the minimum to another ask with a claim: until the targets have released it,
// the need of the claim's ask also counts as used.
type Claim struct {
	Asker *Asker
	Ask   *Ask
	Tree  *Tree
	// Where is the placement of the pods.
	Where placement.Choice
	// Targets are the holders that were asked to release quota. If there are none, the claim is on what the holders in
	// Awaited release, which are terminating anyway.
	Targets, Awaited []queueing.Key
	// Spared are targets that keep their grants because they could start again at once.
	Spared []queueing.Key
}

// Exhausted reports whether nothing more can be taken.
func (v *Target) Exhausted() bool { return v.Count == v.Max }

// TakeOne simulates the release of one more unit.
func (v *Target) TakeOne(forest *quota.Forest) {
	v.Count++
	forest.Remove(v.Asker.Held.Queue.Node, v.Vector)
}

// ReturnOne reverts TakeOne.
func (v *Target) ReturnOne(forest *quota.Forest) {
	v.Count--
	forest.Add(v.Asker.Held.Queue.Node, v.Vector)
}

// SimulateRelease simulates the release of all units that were taken.
func (v *Target) SimulateRelease(forest *quota.Forest) {
	for range v.Count {
		forest.Remove(v.Asker.Held.Queue.Node, v.Vector)
	}
}

// UndoRelease reverts SimulateRelease.
func (v *Target) UndoRelease(forest *quota.Forest) {
	for range v.Count {
		forest.Add(v.Asker.Held.Queue.Node, v.Vector)
	}
}
