// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestLogIsNoMessage: where Kubernetes puts the end of a log into the message of a container, it is in no record, and so in no event or
// notification. What was written as a message, by the program or by the kubelet, is.
func TestLogIsNoMessage(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		policy corev1.TerminationMessagePolicy
		reason string
		want   bool
	}{
		"a file":               {corev1.TerminationMessageReadFile, "Error", true},
		"no policy":            {"", "Error", true},
		"the log":              {corev1.TerminationMessageFallbackToLogsOnError, "Error", false},
		"the log, too large":   {corev1.TerminationMessageFallbackToLogsOnError, "OOMKilled", false},
		"the runtime's own":    {corev1.TerminationMessageFallbackToLogsOnError, "StartError", true},
		"the log of a success": {corev1.TerminationMessageFallbackToLogsOnError, "Completed", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ended := corev1.ContainerStatus{Name: "spark", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: 1, Reason: tc.reason, Message: "last words"}}}
			container := corev1.Container{Name: "spark", TerminationMessagePolicy: tc.policy}
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleDriver}}}
			pod.Status.Phase = corev1.PodFailed
			init := pod.DeepCopy()
			pod.Spec.Containers, pod.Status.ContainerStatuses = []corev1.Container{container}, []corev1.ContainerStatus{ended}
			init.Spec.InitContainers, init.Status.InitContainerStatuses = []corev1.Container{container}, []corev1.ContainerStatus{ended}
			for _, p := range []*corev1.Pod{pod, init} {
				outcome, ok := DriverEnded(RecordOf(p))
				if got := strings.Contains(outcome.Message, "last words"); !ok || got != tc.want && tc.reason != "OOMKilled" || got && tc.reason == "OOMKilled" {
					t.Errorf("the message is %q", outcome.Message)
				}
			}
		})
	}
}
