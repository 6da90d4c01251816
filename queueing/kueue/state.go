// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"slices"
	"strconv"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// keyOf returns the asker for which a Workload was created, or false if there is none.
func keyOf(w *kueuev1.Workload) (key queueing.Key, ok bool) {
	owner := metav1.GetControllerOfNoCopy(w)
	if owner == nil || !strings.HasPrefix(owner.APIVersion, v1alpha1.GroupVersion.Group+"/") {
		return key, false
	}
	return queueing.Key{Kind: owner.Kind, Namespace: w.Namespace, Name: owner.Name, UID: string(owner.UID)}, true
}

// isOf reports whether a Workload represents an attempt.
func isOf(w *kueuev1.Workload, run, attempt int64) bool {
	return w.Labels[v1alpha1.RunLabel] == number(run) && w.Labels[v1alpha1.AttemptLabel] == number(attempt)
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

func isChunk(w *kueuev1.Workload) bool { return w.Annotations[chunkAnnotation] != "" }

// The functions below read the conditions of a Workload (kueue v0.19, apis/kueue/v1beta2/workload_types.go).

func isTrue(w *kueuev1.Workload, condition string) bool {
	return apimeta.IsStatusConditionTrue(w.Status.Conditions, condition)
}

func conditionOf(w *kueuev1.Workload, condition string) *metav1.Condition {
	return apimeta.FindStatusCondition(w.Status.Conditions, condition)
}

// reserved reports whether quota is charged for the Workload.
func reserved(w *kueuev1.Workload) bool { return isTrue(w, kueuev1.WorkloadQuotaReserved) }

// admitted reports whether pods may be created.
func admitted(w *kueuev1.Workload) bool { return isTrue(w, kueuev1.WorkloadAdmitted) }

// evicted reports whether Kueue reclaims the Workload's quota. The condition stays until the Workload gets quota again.
func evicted(w *kueuev1.Workload) bool { return isTrue(w, kueuev1.WorkloadEvicted) }

func finished(w *kueuev1.Workload) bool { return isTrue(w, kueuev1.WorkloadFinished) }

// inactive reports whether Kueue must not give it quota.
func inactive(w *kueuev1.Workload) bool { return w.Spec.Active != nil && !*w.Spec.Active }

func hasFinalizer(w *kueuev1.Workload) bool {
	return slices.Contains(w.Finalizers, kueuev1.ResourceInUseFinalizerName)
}

// deactivationMessage returns Kueue's reason for a deactivation, or the empty string if it gives none.
func deactivationMessage(w *kueuev1.Workload) string {
	for _, name := range []string{kueuev1.WorkloadDeactivationTarget, kueuev1.WorkloadEvicted} {
		c := conditionOf(w, name)
		if c == nil || c.Status != metav1.ConditionTrue {
			continue
		}
		if name == kueuev1.WorkloadDeactivationTarget || strings.HasPrefix(c.Reason, kueuev1.WorkloadDeactivated) {
			return c.Message
		}
	}
	return ""
}
