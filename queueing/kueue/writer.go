// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/internal/base/expectations"
)

// writer makes all writes to Workloads, and remembers them until the watch shows them.
type writer struct {
	client     client.Client
	fieldOwner client.FieldOwner
	clock      clock.PassiveClock
	view       *view

	mu sync.Mutex
	// written holds what the watch must show after the last own writes, by uid.
	written map[types.UID]expectations.Version
	// asks holds the generations of Workloads after they were last changed to match an ask, by uid.
	asks map[types.UID]int64
}

func (wr *writer) create(ctx context.Context, w *kueuev1.Workload) error {
	return wr.client.Create(ctx, w, wr.fieldOwner)
}

// patch writes the difference between before and after, and makes after the resulting Workload. It fails with a conflict
// if the Workload has changed since before was read.
func (wr *writer) patch(ctx context.Context, before, after *kueuev1.Workload) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := wr.client.Patch(ctx, after, patch, wr.fieldOwner); err != nil {
		return fmt.Errorf("write Workload %s: %w", client.ObjectKeyFromObject(before), err)
	}
	wr.record(after)
	return nil
}

// patchStatus is patch for the status.
func (wr *writer) patchStatus(ctx context.Context, before, after *kueuev1.Workload) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := wr.client.Status().Patch(ctx, after, patch, wr.fieldOwner); err != nil {
		return fmt.Errorf("write status of Workload %s: %w", client.ObjectKeyFromObject(before), err)
	}
	wr.record(after)
	return nil
}

// change makes a Workload equal to an ask.
func (wr *writer) change(ctx context.Context, before, after *kueuev1.Workload) error {
	if err := wr.patch(ctx, before, after); err != nil {
		return err
	}
	wr.mu.Lock()
	defer wr.mu.Unlock()
	wr.asks[after.UID] = after.Generation
	return nil
}

// condition writes a condition, and returns the resulting Workload.
func (wr *writer) condition(ctx context.Context, w *kueuev1.Workload, c metav1.Condition) (*kueuev1.Workload, error) {
	after := w.DeepCopy()
	c.LastTransitionTime, c.ObservedGeneration = wr.now(), w.Generation
	apimeta.SetStatusCondition(&after.Status.Conditions, c)
	return after, wr.patchStatus(ctx, w, after)
}

// end writes how a Workload ended, and then removes our finalizer.
func (wr *writer) end(ctx context.Context, w *kueuev1.Workload, reason, message string) error {
	after, err := wr.condition(ctx, w, metav1.Condition{
		Type: kueuev1.WorkloadFinished, Status: metav1.ConditionTrue, Reason: reason, Message: conditionMessage(message),
	})
	if err != nil {
		return err
	}
	return wr.removeFinalizer(ctx, after)
}

// hold keeps a Workload, and with it its age, without asking for quota. The quota that it has is released once Kueue
// knows that it is inactive. A Workload that a user has deactivated stays unchanged: the user decides when it asks
// again.
func (wr *writer) hold(ctx context.Context, w *kueuev1.Workload, message string) error {
	if !inactive(w) {
		after, no := w.DeepCopy(), false
		metav1.SetMetaDataAnnotation(&after.ObjectMeta, heldAnnotation, "true")
		after.Spec.Active = &no
		if err := wr.patch(ctx, w, after); err != nil {
			return err
		}
		w = after
	}
	return wr.requeue(ctx, w, message)
}

// requeue releases the quota of a Workload, if it has any.
func (wr *writer) requeue(ctx context.Context, w *kueuev1.Workload, message string) error {
	if !reserved(w) {
		return nil
	}
	return wr.patchStatus(ctx, w, requeued(w, message, wr.now()))
}

// remove deletes Workloads, which also releases their quota.
func (wr *writer) remove(ctx context.Context, workloads ...*kueuev1.Workload) error {
	for _, w := range workloads {
		if err := wr.delete(ctx, w); err != nil {
			return err
		}
		wr.recordDeletion(w)
	}
	return nil
}

func (wr *writer) delete(ctx context.Context, w *kueuev1.Workload) error {
	if w.DeletionTimestamp.IsZero() {
		err := wr.client.Delete(ctx, w.DeepCopy(), client.Preconditions{UID: &w.UID})
		if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
			return nil // the Workload is gone, or another one has its name
		}
		if err != nil {
			return fmt.Errorf("delete Workload %s: %w", client.ObjectKeyFromObject(w), err)
		}
	}
	if !hasFinalizer(w) {
		return nil
	}
	// Patch without a lock, because the deletion has changed the version. The finalizers are those that were seen: none
	// can be added to an object that is being deleted.
	if err := wr.client.Patch(ctx, withoutFinalizer(w), client.MergeFrom(w)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("remove the finalizer of Workload %s: %w", client.ObjectKeyFromObject(w), err)
	}
	return nil
}

// removeFinalizer removes our finalizer from a Workload. It returns nil if the Workload is gone.
func (wr *writer) removeFinalizer(ctx context.Context, w *kueuev1.Workload) error {
	if !hasFinalizer(w) {
		return nil
	}
	return client.IgnoreNotFound(wr.patch(ctx, w, withoutFinalizer(w)))
}

func withoutFinalizer(w *kueuev1.Workload) *kueuev1.Workload {
	after := w.DeepCopy()
	after.Finalizers = slices.DeleteFunc(after.Finalizers, func(f string) bool { return f == kueuev1.ResourceInUseFinalizerName })
	return after
}

func (wr *writer) now() metav1.Time { return metav1.NewTime(wr.clock.Now()) }

// record records the resource version that an own write has produced.
func (wr *writer) record(w *kueuev1.Workload) {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	wr.written[w.UID] = wr.written[w.UID].Newest(w.ResourceVersion)
}

// recordDeletion records that a Workload was deleted.
func (wr *writer) recordDeletion(w *kueuev1.Workload) {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	if wr.view.shows(w) {
		wr.written[w.UID] = expectations.Deleted
	}
}

// seen forgets what is known about a Workload as far as the watch shows it.
func (wr *writer) seen(w *kueuev1.Workload) {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	gone := !wr.view.shows(w) // another Workload may already have its name
	if gone || wr.written[w.UID].SatisfiedBy(w.ResourceVersion) {
		delete(wr.written, w.UID)
	}
	if gone {
		delete(wr.asks, w.UID)
	}
}

// ahead reports whether the watch shows a version of a Workload from before the last own write.
func (wr *writer) ahead(w *kueuev1.Workload) bool {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	return !wr.written[w.UID].SatisfiedBy(w.ResourceVersion)
}

// isForEarlierAsk reports whether the quota of a Workload was given for what it asked before this process changed it:
// Kueue may write a decision without checking whether the Workload has changed since (kueue v0.19, pkg/scheduler). If
// Kueue does not state the generation, the quota counts as given for the change. If a user has deactivated the Workload
// since, its quota is left to Kueue.
func (wr *writer) isForEarlierAsk(w *kueuev1.Workload) bool {
	wr.mu.Lock()
	defer wr.mu.Unlock()
	decided := conditionOf(w, kueuev1.WorkloadQuotaReserved).ObservedGeneration
	return decided > 0 && decided < wr.asks[w.UID] && !deactivated(w)
}
