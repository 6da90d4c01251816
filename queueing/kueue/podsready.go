// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// ReportProgress writes the condition PodsReady, from which Kueue learns whether the quota is in use, and the priority
// class, which may have changed.
func (g *Gate) ReportProgress(ctx context.Context, key queueing.Key, at queueing.Progress) error {
	w := g.workloadFor(key, at.Run, at.Attempt)
	if w == nil || g.watchIsBehind(w) || !w.DeletionTimestamp.IsZero() || finished(w) || !reserved(w) {
		return nil
	}
	if after := g.reprioritised(w, at.PriorityClass); after != nil {
		_, err := g.patch(ctx, w, after)
		return err
	}
	wanted := nextPodsReady(conditionOf(w, kueuev1.WorkloadPodsReady), at.Phase)
	if wanted == nil {
		return nil
	}
	after := w.DeepCopy()
	wanted.LastTransitionTime, wanted.ObservedGeneration = g.now(), w.Generation
	apimeta.SetStatusCondition(&after.Status.Conditions, *wanted)
	_, err := g.patchStatus(ctx, w, after)
	return err
}

// nextPodsReady returns the condition to write, or nil if it is up to date.
//
//	False/WaitForStart ──► True/Started ──► False/WaitForRecovery ◄──► True/Recovered
func nextPodsReady(c *metav1.Condition, phase queueing.Phase) *metav1.Condition {
	wanted := podsReady(phase)
	if c != nil && phase == queueing.AttemptPodsReady && (c.Reason == kueuev1.WorkloadWaitForRecovery || c.Reason == kueuev1.WorkloadRecovered) {
		wanted.Reason, wanted.Message = kueuev1.WorkloadRecovered, "The attempt has its pods again"
	}
	if c != nil && c.Status == wanted.Status && c.Reason == wanted.Reason {
		return nil
	}
	return &wanted
}

func podsReady(phase queueing.Phase) metav1.Condition {
	c := metav1.Condition{Type: kueuev1.WorkloadPodsReady, Status: metav1.ConditionFalse}
	switch phase {
	case queueing.AttemptPodsReady:
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, kueuev1.WorkloadStarted, "The pods of the base gang became ready"
	case queueing.AttemptPodsLost:
		c.Reason, c.Message = kueuev1.WorkloadWaitForRecovery, "The attempt has lost its pods and waits for others"
	case queueing.AttemptStarting:
		c.Reason, c.Message = kueuev1.WorkloadWaitForStart, "The pods of the base gang are not ready yet"
	}
	return c
}

// reprioritised returns a copy of a Workload with quota with another WorkloadPriorityClass. It returns nil if the class
// is right, or cannot be changed, because only another WorkloadPriorityClass can replace it.
func (g *Gate) reprioritised(w *kueuev1.Workload, class string) *kueuev1.Workload {
	ref := w.Spec.PriorityClassRef
	if ref == nil || ref.Kind != kueuev1.WorkloadPriorityClassKind || class == "" || ref.Name == class || !g.priorities.Installed() {
		return nil
	}
	value, known := g.Priority(class)
	if !known {
		return nil
	}
	after := w.DeepCopy()
	after.Spec.PriorityClassRef.Name, after.Spec.Priority = class, &value
	return after
}
