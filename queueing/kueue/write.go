// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"
)

// writer changes and deletes Workloads, and records what it has written until the watch shows it.
type writer struct {
	client     client.Client
	fieldOwner string
	tracker    *tracker
}

// patch writes what has changed in a Workload, unless another client has changed it since, and returns it as it stands
// then.
func (c *writer) patch(ctx context.Context, before, after *kueuev1.Workload) (*kueuev1.Workload, error) {
	answer := after.DeepCopy()
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := c.client.Patch(ctx, answer, patch, client.FieldOwner(c.fieldOwner)); err != nil {
		return nil, fmt.Errorf("write Workload %s: %w", client.ObjectKeyFromObject(before), err)
	}
	c.tracker.recordWrite(answer)
	return answer, nil
}

// patchStatus is patch for the status.
func (c *writer) patchStatus(ctx context.Context, before, after *kueuev1.Workload) (*kueuev1.Workload, error) {
	answer := after.DeepCopy()
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := c.client.Status().Patch(ctx, answer, patch, client.FieldOwner(c.fieldOwner)); err != nil {
		return nil, fmt.Errorf("write status of Workload %s: %w", client.ObjectKeyFromObject(before), err)
	}
	c.tracker.recordWrite(answer)
	return answer, nil
}

// remove deletes a Workload, and the quota that it may have with it.
func (c *writer) remove(ctx context.Context, w *kueuev1.Workload) error {
	if w.DeletionTimestamp.IsZero() {
		err := c.client.Delete(ctx, w.DeepCopy(), client.Preconditions{UID: &w.UID})
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil // gone, or another one
		}
		if err != nil {
			return fmt.Errorf("delete Workload %s: %w", client.ObjectKeyFromObject(w), err)
		}
	}
	// The version has changed with the deletion: the finalizers are those that were seen, and none can be added to what
	// is being deleted.
	after := w.DeepCopy()
	after.Finalizers = slices.DeleteFunc(after.Finalizers, func(f string) bool { return f == kueuev1.ResourceInUseFinalizerName })
	if len(after.Finalizers) == len(w.Finalizers) {
		return nil
	}
	if err := c.client.Patch(ctx, after, client.MergeFrom(w)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of Workload %s: %w", client.ObjectKeyFromObject(w), err)
	}
	return nil
}

// removeFinalizer takes our finalizer off a Workload. Gone already is fine.
func (c *writer) removeFinalizer(ctx context.Context, w *kueuev1.Workload) error {
	if !hasFinalizer(w) {
		return nil
	}
	after := w.DeepCopy()
	after.Finalizers = slices.DeleteFunc(after.Finalizers, func(f string) bool { return f == kueuev1.ResourceInUseFinalizerName })
	_, err := c.patch(ctx, w, after)
	return client.IgnoreNotFound(err)
}

func (t *tracker) now() metav1.Time { return metav1.NewTime(t.clock.Now()) }
