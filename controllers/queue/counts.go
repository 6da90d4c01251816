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

// Counts returns the fields of the status of a queue that have changed, as a merge patch, and a function to call once they
// are written; no fields if nothing but counts may be written, or nothing has changed. It is safe for concurrent use.
//
// The ledger of a root queue is in the same status and is written far more often: what goes with it costs nothing,
// and does not compete with it for the resource version. It may be compared with an object that lacks the last write;
// then the watch of that write has the queue looked at again.
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
