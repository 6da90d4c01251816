// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/base/redact"
)

// readConditions reads the conditions of a pod. One that has a node was bound when PodScheduled became true, or when it
// was created if that is not known.
func (r *Record) readConditions(pod *corev1.Pod) {
	if r.Node != "" {
		r.BoundAt = r.CreatedAt
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		yes := c.Status == corev1.ConditionTrue
		switch c.Type {
		case corev1.PodScheduled:
			r.readScheduled(pod, c)
		case corev1.PodReady:
			r.Ready = yes
			if !yes && r.Role == Driver && c.Reason == "ContainersNotReady" {
				r.Unready = redact.Line(c.Message, maxMessage)
			}
		case corev1.DisruptionTarget:
			if yes {
				r.DisruptedBy = c.Reason
				r.DisruptedAt = seconds(c.LastTransitionTime.Unix())
			}
		}
	}
	r.SilentSince = silentSince(pod)
}

func (r *Record) readScheduled(pod *corev1.Pod, c *corev1.PodCondition) {
	r.Scheduled = c.Status == corev1.ConditionTrue
	r.SchedulingGated = !r.Scheduled && c.Reason == corev1.PodReasonSchedulingGated
	if r.Scheduled && r.Node != "" && !c.LastTransitionTime.IsZero() {
		r.BoundAt = seconds(c.LastTransitionTime.Unix())
	}
	if !r.Scheduled && c.Reason == corev1.PodReasonUnschedulable {
		r.Waiting = Waiting{Reason: c.Reason, Message: redact.Line(c.Message, maxMessage)}
	}
	if gates := foreignGates(pod); r.SchedulingGated && gates != "" {
		r.Waiting = Waiting{Reason: c.Reason, Message: redact.Line(gates, maxMessage)}
	}
}

// silentSince returns when the node of a pod that runs stopped answering, in seconds since 1970; 0 if it answers. A
// kubelet changes the readiness of pod and containers together. If its node does not answer, the node lifecycle
// controller changes that of the pod alone.
func silentSince(pod *corev1.Pod) (since uint32) {
	containersReady := false
	for i := range pod.Status.Conditions {
		switch c := &pod.Status.Conditions[i]; {
		case c.Type == corev1.ContainersReady:
			containersReady = c.Status == corev1.ConditionTrue
		case c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse && c.Reason != "ReadinessGatesNotReady":
			since = seconds(c.LastTransitionTime.Unix())
		}
	}
	if !containersReady || pod.Status.Phase != corev1.PodRunning {
		return 0
	}
	return since
}
