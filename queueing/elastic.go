// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Resizer is implemented by gates whose grants may grow above what was asked for first, and shrink again, while they are held. Only
// grants that are Gated do: their executors are made behind a scheduling gate, which the holder lifts as far as its grant goes.
//
//	gated executors ──► Resize ──► the gate decides, wakes the holder ──► Resize: a larger grant ──► status ──► Persisted ──► gates lifted
//	executors gone  ──► a smaller grant ──► status ──► Persisted: what is not held any more goes back
//	Resize: Reclaim ──► executors end ──► as above
//
// What a gate may rely on: a larger grant stands in the application's status before one more gate is lifted, and Persisted is called only
// with a grant that stands there. What is charged is never less than the grant of the last Persisted.
type Resizer interface {
	// Resize says what the holder of a grant wants, and returns what it has. held is the grant as it stands in the application's status.
	// The gate wakes the application when the answer changes. It is idempotent. What keeps the gate from asking another system is told as
	// Room.Why, and tried again: a run goes on without growing.
	Resize(ctx context.Context, key Key, held Grant, want ResizeRequest) Allocation
}

// Decliner is implemented by gates that let grants grow and have to know that one cannot.
type Decliner interface {
	// Decline says that what the grant has grown by beyond held will never stand in the application's status: it goes back, and the
	// holder wants nothing more until it says so again by Resize.
	Decline(ctx context.Context, key Key, held Grant)
}

// ResizeRequest is what the holder of a grant wants beside its base gang.
type ResizeRequest struct {
	// PodSet that is to grow: the name of one in the grant.
	PodSet string
	// Count of pods wanted above those of the base gang; 0 is none.
	Count int32
	// Tolerations and NodeSelector of the pods, for matching flavors.
	Tolerations  []corev1.Toleration
	NodeSelector map[string]string
	// Ready counts the pods of the set that are ready, those of the base gang included, by flavor.
	Ready map[string]int32
}

// Allocation is what the holder of a grant has.
type Allocation struct {
	// Grant that the gate charges. Nil if the key holds no such grant.
	Grant *Grant
	// Reclaims is what the holder has to return, by flavor: pods above its base gang.
	Reclaims []Reclaim
	// Why there is not all that is wanted, a sentence for people; empty if there is, or if the gate has not looked. It is stable.
	Why string
}

// Reclaim is a number of pods that have to end because somebody else takes their room.
type Reclaim struct {
	Flavor string
	Count  int32
	// Why is worded like that of a whole grant that is asked back.
	Why Eviction
}

// ReclaimedIn is how many pods of a flavor have to end.
func (r Allocation) ReclaimedIn(flavor string) int32 {
	var n int32
	for _, g := range r.Reclaims {
		if g.Flavor == flavor {
			n += g.Count
		}
	}
	return n
}
