// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Reasons of failed pods, as the kubelet and the controllers of Kubernetes 1.33 to 1.36 write them
// (pkg/kubelet/eviction, pkg/kubelet/nodeshutdown, pkg/kubelet/preemption, pkg/kubelet/active_deadline.go,
// pkg/util/node).
const (
	podEvicted      = "Evicted"
	podTerminated   = "Terminated"
	podNodeShutdown = "NodeShutdown"
	podNodeLost     = "NodeLost"
	podPreempting   = "Preempting"
	podDeadline     = "DeadlineExceeded"
	// applicationRejected is YuniKorn's reason for pods of an application that none of its queues takes.
	applicationRejected = "ApplicationRejected"
)

// Reasons of the condition DisruptionTarget that have no constant in the API (Kubernetes documentation, "Disruptions").
const (
	byEvictionAPI  = "EvictionByEvictionAPI"
	byTaintManager = "DeletionByTaintManager"
	byPodGC        = "DeletionByPodGC"
)

// Disrupted reports whether the Spark container of a pod has ended, or Kubernetes has announced that it will end the pod.
func (r *Record) Disrupted() bool { return r.Ended != nil || r.Reason != "" || r.DisruptedBy != "" }

// AsEnded returns the record of a pod that is gone. It can no longer be active.
func (r *Record) AsEnded() *Record {
	ended := *r
	ended.Running, ended.Ready = false, false
	if ended.Phase != corev1.PodSucceeded {
		ended.Phase = corev1.PodFailed
	}
	return &ended
}

// IsDisruption reports whether an attempt with this reason and cause was ended from outside, so that its program is not to
// blame: its driver was evicted, preempted by a scheduler, or lost with its node. A pod that the kubelet evicts because
// its node is short of memory or disk may be to blame.
func IsDisruption(reason string, cause v1alpha1.FailureCause) bool {
	switch reason {
	case ReasonNodeLost, ReasonNodeShutdown, podPreempting, corev1.PodReasonPreemptionByScheduler, byEvictionAPI, byTaintManager, byPodGC:
		return cause == v1alpha1.CauseInfrastructure
	}
	return false
}

// disrupted returns how a pod was ended from outside, by its node or by a controller; ok is false if it was not.
// Kubernetes reports that in the reason of the pod, in the condition DisruptionTarget, or in both. If the exit code of
// the container is known, it ended before its node was lost, so that is not the cause.
func disrupted(r *Record, w terms) (outcome Outcome, ok bool) {
	o := Outcome{Cause: v1alpha1.CauseInfrastructure}
	switch reason := cmp.Or(r.Reason, r.DisruptedBy); {
	case reason == podEvicted:
		return evicted(r, w), true
	case r.Ended == nil && (reason == podNodeLost || r.DisruptedBy == byPodGC):
		o.Reason = ReasonNodeLost
		o.Message = w.who + " was lost with its node" + onNode(r) + ", which does not respond or no longer exists (NodeLost)"
	case reason == podTerminated, reason == podNodeShutdown:
		o.Reason = ReasonNodeShutdown
		o.Message = w.who + " was ended because its node" + onNode(r) + " was shut down (NodeShutdown); spot nodes are reclaimed that way"
	case reason == podDeadline:
		o.Reason, o.Cause = ReasonActiveDeadline, v1alpha1.CauseApplication
		o.Message = w.who + " ran longer than activeDeadlineSeconds of " + w.template + "; raise it there, or use timeouts.run instead"
	case reason == podPreempting, r.DisruptedBy == corev1.PodReasonPreemptionByScheduler:
		o.Reason = reason
		o.Message = sentence(w.who+" was preempted by a pod of higher priority", o.Reason, r.Message)
		o.Message = remedy(o.Message, "priorityClassName of "+w.template+" decides which pods kube-scheduler and kubelet prefer")
	case r.DisruptedBy == byEvictionAPI:
		o.Reason = r.DisruptedBy
		o.Message = w.who + " was evicted" + offNode(r) + " (EvictionByEvictionAPI): the node was drained, or the autoscaler wanted it"
	case r.DisruptedBy == byTaintManager:
		o.Reason = r.DisruptedBy
		o.Message = w.who + " was evicted" + offNode(r) + " (DeletionByTaintManager): the node does not answer, is reclaimed, or got another NoExecute taint"
	case r.DisruptedBy != "" && r.DisruptedBy != byPodGC:
		o.Reason = reason
		o.Message = sentence(w.who+" pod was evicted", reason, r.Message)
	default:
		return Outcome{}, false
	}
	return o, true
}

// evicted explains an evicted pod. If its node ran short of a resource, the cause is the infrastructure. If the pod
// exceeded its own limit of local storage, it is the application, because that will happen again.
func evicted(r *Record, w terms) Outcome {
	o := Outcome{Reason: podEvicted, Cause: v1alpha1.CauseInfrastructure, Message: sentence(w.who+" pod was evicted", podEvicted, r.Message)}
	own := strings.HasPrefix(r.Message, "Pod ephemeral local storage usage exceeds") ||
		strings.HasPrefix(r.Message, "Usage of EmptyDir volume") ||
		strings.HasPrefix(r.Message, "Container ") && strings.Contains(r.Message, "exceeded its local ephemeral storage limit")
	switch {
	case own:
		o.Cause = v1alpha1.CauseApplication
		o.Message = remedy(o.Message, "raise that limit in "+w.template+", or use a volume for spark.local.dir")
	case strings.Contains(r.Message, "low on resource: memory"):
		o.Message = remedy(o.Message, "a pod that uses more memory than it requests goes first")
	case strings.Contains(r.Message, "low on resource: ephemeral-storage"):
		o.Message = remedy(o.Message, "request ephemeral-storage in "+w.template+", or use a volume for spark.local.dir")
	}
	return o
}

func onNode(r *Record) string {
	if r.Node == "" {
		return ""
	}
	return " " + r.Node
}

func offNode(r *Record) string {
	if r.Node == "" {
		return ""
	}
	return " from node " + r.Node
}

// podFailed explains a failed pod whose Spark container has no exit code: it never ran, or its result was lost.
func podFailed(r *Record, w terms) Outcome {
	o := Outcome{Reason: cmp.Or(r.Reason, ReasonError), Cause: v1alpha1.CauseInfrastructure}
	switch {
	case r.Reason == applicationRejected:
		o.Cause = v1alpha1.CauseConfiguration
		o.Message = remedy(sentence("YuniKorn refused the application", r.Reason, r.Message), "spec.queue.name has to name a queue of YuniKorn that is large enough")
	case r.Reason == ReasonInitContainer:
		o.Cause = v1alpha1.CauseApplication
		o.Message = sentence(w.who+" did not start", r.Reason, r.Message)
	case r.Reason == "" && r.Deleting:
		o.Reason = ReasonDeleted
		o.Message = w.who + " pod was deleted by a user or another controller before its container had ended (Deleted)"
	case r.Reason != "" && r.Node != "": // OutOfcpu, OutOfmemory, NodeAffinity, UnexpectedAdmissionError, …
		o.Message = sentence("node "+r.Node+" refused the "+w.who+" pod", r.Reason, r.Message)
	default:
		o.Message = sentence(w.who+" pod failed", r.Reason, r.Message)
	}
	return o
}
