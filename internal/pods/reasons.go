// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// otherReason stands for every reason that ReasonLabel does not know.
const otherReason = "Other"

// reasons are why attempts end: the operator's own words, those of kubelets (1.31 to 1.36: pkg/kubelet/lifecycle,
// pkg/kubelet/eviction, pkg/kubelet/kuberuntime) and of container runtimes.
var reasons = []string{
	"Succeeded", ReasonError, ReasonDeleted, ReasonNodeLost, ReasonNodeShutdown, ReasonActiveDeadline, ReasonInitContainer, ReasonDriverLost,
	string(v1alpha1.StopSuspended), string(v1alpha1.StopTemplateChanged), string(v1alpha1.StopPreempted), string(v1alpha1.StopDriverStart),
	string(v1alpha1.StopExecutorStart), string(v1alpha1.StopDeadline), string(v1alpha1.StopTotalDeadline), string(v1alpha1.StopAdmission),
	string(v1alpha1.StopKueueConflict), string(v1alpha1.StopInputsChanged), string(v1alpha1.StopRejected),
	podEvicted, podTerminated, podPreempting, byEvictionAPI, byTaintManager, byPodGC,
	corev1.PodReasonPreemptionByScheduler, corev1.PodReasonTerminationByKubelet,
	"Completed", "OOMKilled", "ContainerCannotRun", "StartError", "ContainerStatusUnknown", "Unknown",
	"OutOfcpu", "OutOfmemory", "OutOfpods", "OutOfephemeral-storage", "NodeAffinity", "NodeName", "NodePorts", "NodeUnschedulable", "TaintToleration",
	"UnexpectedAdmissionError", "AdmissionFailed", "TopologyAffinityError", "PodOSSelectorNodeLabelDoesNotMatch", "PodOSNotSupported",
}

// ReasonLabel returns the value that a label of a metric has for the reason with which an attempt ended. Most reasons
// are taken from the status of the pod, and a client that may write that may write any text: one that is not known is
// Other.
func ReasonLabel(reason string) string {
	if slices.Contains(reasons, reason) {
		return reason
	}
	return otherReason
}
