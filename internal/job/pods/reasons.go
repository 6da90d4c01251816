// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// otherReason is the value of a metric's label for all reasons that are not in the list.
const otherReason = "Other"

// reasons are the known reasons for the end of an attempt: those of the operator, of kubelets (1.31 to 1.36:
// pkg/kubelet/lifecycle, pkg/kubelet/eviction, pkg/kubelet/kuberuntime) and of container runtimes.
var reasons = []string{
	"Succeeded", ReasonError, ReasonDeleted, ReasonNodeLost, ReasonNodeShutdown, ReasonActiveDeadline, ReasonInitContainer, ReasonDriverLost, ReasonClusterLost,
	string(v1alpha1.StopSuspended), string(v1alpha1.StopTemplateChanged), string(v1alpha1.StopPreempted), string(v1alpha1.StopDriverStart),
	string(v1alpha1.StopExecutorStart), string(v1alpha1.StopDeadline), string(v1alpha1.StopTotalDeadline), string(v1alpha1.StopAdmission),
	string(v1alpha1.StopKueueConflict), string(v1alpha1.StopInputsChanged), string(v1alpha1.StopRejected), string(v1alpha1.StopExceedsGrant),
	string(v1alpha1.StopIdle),
	podEvicted, podTerminated, podPreempting, byEvictionAPI, byTaintManager, byPodGC,
	corev1.PodReasonPreemptionByScheduler, corev1.PodReasonTerminationByKubelet,
	"Completed", "OOMKilled", "ContainerCannotRun", "StartError", "ContainerStatusUnknown", "Unknown",
	"OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "NodeAffinity", "NodeName", "NodePorts", "NodeUnschedulable", "TaintToleration",
	"UnexpectedAdmissionError", "AdmissionFailed", "TopologyAffinityError", "PodOSSelectorNodeLabelDoesNotMatch", "PodOSNotSupported",
}

// ReasonLabel returns the value for the label of a metric if an attempt ended with reason: the reason itself if it is
// in the list, else Other. Most reasons come from the status of the pod, into which a client with the right to do so
// can write any text.
func ReasonLabel(reason string) string {
	if slices.Contains(reasons, reason) {
		return reason
	}
	return otherReason
}
