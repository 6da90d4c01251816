// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestLogOfADriverThatIsGone: with -f as without, what the status has kept is printed, or that nothing was kept.
func TestLogOfADriverThatIsGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tail, out, problem string
		code               int
	}{
		"kept":     {tail: "boom\n", out: "boom\n", problem: "The pod of attempt 1 is gone. This is the end of its log, from the status:\n"},
		"not kept": {problem: "there is no log: the driver pod of attempt 1 of run 2 is gone; spec.retention says how long it is kept", code: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.FailedReason, "run 2 failed", func(s *v1alpha1.SparkApplicationStatus) {
					s.Attempts = []v1alpha1.AttemptStatus{{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeFailed, StartedAt: s.Times.Queued, FinishedAt: &metav1.Time{Time: s.Times.Queued.Time}, LogTail: tt.tail}}
				}),
				"GET /api/v1/namespaces/spark/pods": listOf[corev1.Pod](),
			})
			for _, follow := range []bool{false, true} {
				args, code := []string{"logs", "pi", "--kubeconfig=" + kubeconfig}, tt.code
				if follow {
					args, code = append(args, "-f"), 0
				}
				if got, out, problem := call("", args...); got != code || out != tt.out || !strings.Contains(problem, tt.problem) {
					t.Errorf("%q: exit code %d, %q, %q", args, got, out, problem)
				}
			}
		})
	}
}

// executorPod is an executor that runs.
func executorPod(number string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "exec-" + number, UID: types.UID(number), Labels: map[string]string{"spark-exec-id": number}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark-kubernetes-executor"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "spark-kubernetes-executor", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
}

// TestLogsOfAllExecutors: one whose node does not answer is named, and keeps no other log away.
func TestLogsOfAllExecutors(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.RunningReason, "the driver runs", nil),
		"GET /api/v1/namespaces/spark/pods":            listOf(executorPod("1"), executorPod("2")),
		"GET /api/v1/namespaces/spark/pods/exec-1/log": {refusal(500, metav1.StatusReasonInternalError, "no route to node-1")},
		"GET /api/v1/namespaces/spark/pods/exec-2/log": {{200, "a line"}},
	})
	code, out, problem := call("", "logs", "pi", "--executor", "all", "--kubeconfig="+kubeconfig)
	if code != exitFailed || !strings.Contains(out, "[2] ") || !strings.Contains(out, "a line") || !strings.Contains(problem, "pod exec-1: ") || !strings.Contains(problem, "no route to node-1") {
		t.Errorf("exit code %d, %q, %q", code, out, problem)
	}
}
