// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Resizer is implemented by gates whose grants can grow beyond the base gang, and shrink again, while they are held.
// If a grant is SchedulingGated, the pods of its elastic pod set are created with a scheduling gate, and the holder
// ungates no more of them than its grant allows. Otherwise its pods start at once, and the holder ends those for which
// the grant does not grow; their growth is in the flavor of the base gang.
//
//	gated pods ──► Resize ──► the gate decides, wakes the holder ──► Resize: a larger grant ──► status ──► Persisted ──► ungated
//	pods gone  ──► a smaller grant ──► status ──► Persisted: what is no longer held is released
//	Resize: Reclaim ──► pods end ──► as above
//
// A gate may rely on this: a larger grant is in the asker's status before any further pod is ungated. Persisted is
// called only with a grant that is in the status. What is charged is never less than the grant of the last Persisted.
type Resizer interface {
	// Resize sets what the holder of a grant wants, and returns its allocation. held is the grant in the asker's
	// status. The gate wakes the asker when the allocation changes. Resize is idempotent. If another system cannot be
	// asked, Allocation.Why says so and the gate retries, while the run continues without growing.
	Resize(ctx context.Context, key Key, held Grant, want ResizeRequest) Allocation
}

// Decliner is implemented by gates that must know if a grant that they let grow cannot.
type Decliner interface {
	// Decline reports that growth beyond held will never be written to the asker's status. The gate releases it, and
	// lets the grant grow again only after another Resize.
	Decline(ctx context.Context, key Key, held Grant)
}

// ResizeRequest is what the holder of a grant wants above its base gang.
type ResizeRequest struct {
	// PodSet is the name of the pod set in the grant that is to grow.
	PodSet string `json:"podSet,omitempty"`
	// Count is the number of pods wanted above those of the base gang; 0 is none.
	Count int32 `json:"count,omitempty"`
	// Tolerations and NodeSelector are those of the pods, for matching flavors.
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	// Ready counts the ready pods of the set by flavor, including those of the base gang.
	Ready map[string]int32 `json:"-"`
}

// Allocation is what a gate charges for a grant, and which part of it the gate reclaims.
type Allocation struct {
	// Grant is the grant that the gate charges; nil if the key holds no such grant.
	Grant *Grant
	// Reclaims are the pods above the base gang that must end, by flavor.
	Reclaims []Reclaim
	// Why is a message for users about why less is charged than wanted. It is empty if nothing is missing or the gate
	// has not decided yet. It changes only when the cause changes.
	Why string
}

// Reclaim is a number of pods that must end because their quota is reclaimed for others.
type Reclaim struct {
	Flavor string
	Count  int32
	// Why has the same form as the eviction of a whole grant.
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
