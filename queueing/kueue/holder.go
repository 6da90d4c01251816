// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"

	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// holder speaks with Kueue about an attempt that holds quota.
type holder struct {
	view   *view
	writer *writer
	askers *askers
}

// eviction returns why Kueue reclaims the quota of an attempt, or has already taken it; nil if neither.
func (h *holder) eviction(key queueing.Key, run, attempt int64) *queueing.Eviction {
	if !h.view.workloads.Installed() || h.askers.wasReleased(key) {
		return nil
	}
	w := h.view.workloadFor(key, run, attempt)
	if w != nil && h.writer.ahead(w) {
		return nil
	}
	return evictionOf(w)
}

// report writes the priority class, which may have changed, or the condition PodsReady.
func (h *holder) report(ctx context.Context, key queueing.Key, at queueing.Progress) error {
	w := h.view.workloadFor(key, at.Run, at.Attempt)
	if w == nil || h.writer.ahead(w) || !w.DeletionTimestamp.IsZero() || finished(w) || !reserved(w) {
		return nil
	}
	if after := h.reprioritised(w, at.PriorityClass); after != nil {
		return h.writer.patch(ctx, w, after)
	}
	if c := nextPodsReady(conditionOf(w, kueuev1.WorkloadPodsReady), at.Phase); c != nil {
		_, err := h.writer.condition(ctx, w, *c)
		return err
	}
	return nil
}

// reprioritised returns a copy of a Workload with quota with another WorkloadPriorityClass. It returns nil if the class
// is right, or cannot be changed, because only another WorkloadPriorityClass can replace it.
func (h *holder) reprioritised(w *kueuev1.Workload, class string) *kueuev1.Workload {
	ref := w.Spec.PriorityClassRef
	if ref == nil || ref.Kind != kueuev1.WorkloadPriorityClassKind || class == "" || ref.Name == class {
		return nil
	}
	value, exists := h.view.priority(class)
	if !exists {
		return nil
	}
	after := w.DeepCopy()
	after.Spec.PriorityClassRef.Name, after.Spec.Priority = class, &value
	return after
}
