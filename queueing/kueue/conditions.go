// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// requeued returns a Workload that was evicted, or is inactive, with its quota released, all of it for one write (kueue
// v0.19, pkg/controller/jobframework). After an eviction in favour of others, or because of failed nodes, it may get
// quota again at once; otherwise Kueue decides when (requeueAfter).
func requeued(w *kueuev1.Workload, message string, now metav1.Time) *kueuev1.Workload {
	after := w.DeepCopy()
	after.Status.Admission = nil
	requeue := metav1.Condition{Type: kueuev1.WorkloadRequeued, Status: metav1.ConditionFalse, Reason: kueuev1.WorkloadDeactivated, Message: message}
	if c := conditionOf(w, kueuev1.WorkloadEvicted); evicted(w) && !inactive(w) {
		requeue.Status, requeue.Reason = requeueAfter(c.Reason)
		requeue.Message, message = c.Message, c.Message
	}
	if !evicted(w) {
		after.Status.AdmissionChecks = resetChecks(after.Status.AdmissionChecks, now)
	}
	for _, c := range []metav1.Condition{
		requeue,
		{Type: kueuev1.WorkloadQuotaReserved, Status: metav1.ConditionFalse, Reason: "Pending", Message: givenBack + conditionMessage(message)},
		{Type: kueuev1.WorkloadAdmitted, Status: metav1.ConditionFalse, Reason: "NoReservation", Message: "The workload has no reservation"},
		podsReady(queueing.AttemptStarting),
	} {
		c.Message, c.LastTransitionTime, c.ObservedGeneration = conditionMessage(c.Message), now, w.Generation
		apimeta.SetStatusCondition(&after.Status.Conditions, c)
	}
	return after
}

// requeueAfter returns status and reason of the condition Requeued after an eviction. If it is False, the Workload waits
// until Kueue changes it, which happens for these reasons only (kueue v0.19, pkg/controller/core). A Workload that Kueue
// has deactivated for a cause, and that a user has activated again since, counts as deactivated by a user.
func requeueAfter(eviction string) (status metav1.ConditionStatus, reason string) {
	if strings.HasPrefix(eviction, kueuev1.WorkloadDeactivated) {
		eviction = kueuev1.WorkloadDeactivated
	}
	switch eviction {
	case kueuev1.WorkloadDeactivated, kueuev1.WorkloadEvictedByPodsReadyTimeout, kueuev1.WorkloadEvictedByAdmissionCheck,
		kueuev1.WorkloadEvictedByClusterQueueStopped, kueuev1.WorkloadEvictedByLocalQueueStopped:
		return metav1.ConditionFalse, eviction
	}
	return metav1.ConditionTrue, eviction
}

// resetChecks returns admission checks with none of them passed. Kueue resets them when it evicts. Otherwise checks
// that are Ready would let the next reservation pass, in whatever flavor, with the updates that they made for the pods
// of this one (kueue v0.19, pkg/workload/evict).
func resetChecks(checks []kueuev1.AdmissionCheckState, now metav1.Time) []kueuev1.AdmissionCheckState {
	for i := range checks {
		if c := &checks[i]; c.State == kueuev1.CheckStateReady {
			*c = kueuev1.AdmissionCheckState{
				Name: c.Name, State: kueuev1.CheckStatePending, Message: "Reset to Pending: the quota was given back", LastTransitionTime: now,
				RequeueAfterSeconds: c.RequeueAfterSeconds, RetryCount: c.RetryCount,
			}
		}
	}
	return checks
}

// conditionMessage returns a message that is valid for a condition: not empty, and at most 32,768 bytes.
func conditionMessage(message string) string {
	if message == "" {
		return "the attempt has ended"
	}
	return stabilise(message)
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
