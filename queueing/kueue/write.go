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

// writer changes and deletes Workloads, and records the versions that it has written.
type writer struct {
	client     client.Client
	fieldOwner string
	tracker    *tracker
}

// patch writes the difference between before and after, and returns the resulting Workload. It fails with a conflict if
// the Workload has changed since before was read.
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

// remove deletes a Workload, which also releases its quota.
func (c *writer) remove(ctx context.Context, w *kueuev1.Workload) error {
	if w.DeletionTimestamp.IsZero() {
		err := c.client.Delete(ctx, w.DeepCopy(), client.Preconditions{UID: &w.UID})
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil // the Workload is gone, or another one has its name
		}
		if err != nil {
			return fmt.Errorf("delete Workload %s: %w", client.ObjectKeyFromObject(w), err)
		}
	}
	// Patch without a lock, because the deletion has changed the version. The finalizers are those that were seen: none
	// can be added to an object that is being deleted.
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

// removeFinalizer removes our finalizer from a Workload. It returns nil if the Workload is gone.
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
