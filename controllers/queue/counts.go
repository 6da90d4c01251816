// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queue

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Counts returns the changed fields of a queue's status as a merge patch, and a function to call when they are written.
// It returns no fields if nothing has changed, or if conditions have changed, which publish writes. It is safe for
// concurrent use.
//
// The ledger of a root queue is in the same status and is written far more often. Counts that are written together with
// it cost no request of their own, and do not conflict with its writes. The cache may still lack the last write; the
// watch event of that write makes the controller look at the queue again.
func (r *Reconciler) Counts(ctx context.Context, name string) (fields map[string]any, written func()) {
	queue := &v1alpha1.SparkQueue{}
	if err := r.Client.Get(ctx, types.NamespacedName{Name: name}, queue); err != nil || !queue.DeletionTimestamp.IsZero() {
		return nil, nil
	}
	after := queue.DeepCopy()
	r.fill(after)
	if !numbersOnly(queue, after) {
		return nil, nil
	}
	patch, err := client.MergeFrom(queue).Data(after)
	if err != nil {
		return nil, nil
	}
	var changed struct {
		Status map[string]any `json:"status"`
	}
	if err := json.Unmarshal(patch, &changed); err != nil || len(changed.Status) == 0 {
		return nil, nil
	}
	at := r.Clock.Now()
	return changed.Status, func() { r.noteWritten(name, at) }
}
