// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"slices"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// Kept tracks the attempts of an application whose ended driver pod was kept. When another client deletes the pod, the
// other objects of the attempt must be deleted too.
type Kept struct{ attempts []lifecycle.AttemptID }

// Leftovers records the attempts whose driver pods are kept, and returns the recorded attempts whose driver pod is
// gone.
func (k *Kept) Leftovers(app *v1alpha1.SparkApplication, records []*pods.Record) (leftovers []lifecycle.AttemptID) {
	var there []lifecycle.AttemptID
	for _, r := range records {
		of := lifecycle.AttemptID{Run: r.Run, Attempt: r.Attempt}
		switch {
		case r.Role != pods.Driver || r.OwnerUID != app.UID:
		case r.Active():
			there = append(there, of)
		case !r.Deleting:
			there = append(there, of)
			k.note(of)
		}
	}
	for _, of := range k.attempts {
		if !slices.Contains(there, of) {
			leftovers = append(leftovers, of)
		}
	}
	return leftovers
}

// Deleted records that the objects of an attempt were deleted.
func (k *Kept) Deleted(of lifecycle.AttemptID) {
	k.attempts = slices.DeleteFunc(k.attempts, func(a lifecycle.AttemptID) bool { return a == of })
}

func (k *Kept) note(of lifecycle.AttemptID) {
	if !slices.Contains(k.attempts, of) {
		k.attempts = append(k.attempts, of)
	}
}
