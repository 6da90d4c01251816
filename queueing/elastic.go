// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Resizer is implemented by gates whose grants may grow above what was asked for first, and shrink again, while they
// are held. Only grants that are SchedulingGated do: their executors are created behind a scheduling gate, which the
// holder removes up to its grant.
//
//	gated executors ──► Resize ──► the gate decides, wakes the holder ──► Resize: a larger grant ──► status ──► Persisted ──► ungated
//	executors gone  ──► a smaller grant ──► status ──► Persisted: what is no longer held goes back
//	Resize: Reclaim ──► executors end ──► as above
//
// What a gate may rely on: a larger grant is in the application's status before one more pod is ungated, and
// Persisted is called only with a grant that is there. What is charged is never less than the grant of the last
// Persisted.
type Resizer interface {
	// Resize sets what the holder of a grant wants, and returns its allocation. held is the grant in the application's
	// status. The gate wakes the application when the allocation changes. Resize is idempotent. If another system
	// cannot be asked, Allocation.Why says so and the gate retries: the run continues without growing.
	Resize(ctx context.Context, key Key, held Grant, want ResizeRequest) Allocation
}

// Decliner is implemented by gates that let grants grow and have to know that one cannot.
type Decliner interface {
	// Decline reports that growth beyond held will never be written to the application's status: the gate releases it,
	// and lets the grant grow again only after another Resize.
	Decline(ctx context.Context, key Key, held Grant)
}

// ResizeRequest is what the holder of a grant wants above its base gang.
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

// Allocation is what a gate charges for a grant, and what it reclaims of it.
type Allocation struct {
	// Grant that the gate charges. Nil if the key holds no such grant.
	Grant *Grant
	// Reclaims are the pods above the base gang that must end, by flavor.
	Reclaims []Reclaim
	// Why less is charged than wanted, as a message for users; empty if nothing is missing, or if the gate has not
	// decided yet. It is stable.
	Why string
}

// Reclaim is a number of pods that must end because their quota is taken for others.
type Reclaim struct {
	Flavor string
	Count  int32
	// Why is worded like the eviction of a whole grant.
	Why Eviction
}

// ReclaimedIn returns how many pods of a flavor must end.
func (a Allocation) ReclaimedIn(flavor string) int32 {
	var n int32
	for _, g := range a.Reclaims {
		if g.Flavor == flavor {
			n += g.Count
		}
	}
	return n
}
