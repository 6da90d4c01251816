// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestLastWords: where Kubernetes puts the end of a log into the message of a container, only the cause of the failure
// comes from there. What was written as a message, by the program or by the kubelet, is kept.
func TestLastWords(t *testing.T) {
	t.Parallel()
	const heap = "INFO a\n ERROR SparkUncaughtExceptionHandler: Uncaught exception in thread Thread[x]\njava.lang.IllegalStateException: password=hunter2\n\tat x\nINFO bye\n"
	const told = "java.lang.IllegalStateException: password=(hidden)"
	for name, tc := range map[string]struct {
		reason, message, executor, driver, cause string
		policy                                   corev1.TerminationMessagePolicy
	}{
		"nothing":   {"Error", "", "executor ended with exit code 1 (Error)", "driver ended with exit code 1 (Error)", "", corev1.TerminationMessageFallbackToLogsOnError},
		"a message": {"Error", "no\n", "executor ended with exit code 1 (Error): no", "driver ended with exit code 1 (Error): no", "", corev1.TerminationMessageFallbackToLogsOnError},
		"a log":     {"Error", heap, "executor ended with exit code 1 (Error): " + told, "driver ended with exit code 1 (Error)", told, corev1.TerminationMessageFallbackToLogsOnError},
		"a JVM that did not start": {"Error", "b.jar --driver-url spark://a --executor-id 1\nInvalid initial heap size: -Xmse\nError: Could not create the Java Virtual Machine.\n",
			"executor ended with exit code 1 (Error): Invalid initial heap size: -Xmse; correct executor.javaOptions; executor.memory sets the heap", "driver ended with exit code 1 (Error)", "Invalid initial heap size: -Xmse", corev1.TerminationMessageFallbackToLogsOnError},
		"a log without":      {"Error", "INFO a\nINFO bye", "executor ended with exit code 1 (Error)", "driver ended with exit code 1 (Error)", "", corev1.TerminationMessageFallbackToLogsOnError},
		"the runtime's own":  {"StartError", "no\nfile", "executor's container could not start (exit code 1) (StartError): no", "driver's container could not start (exit code 1) (StartError): no", "", corev1.TerminationMessageFallbackToLogsOnError},
		"a log, out of room": {"OOMKilled", heap, "executor was killed with exit code 1: it used more memory than its limit; raise " + executorTerms.memory, "driver was killed with exit code 1: it used more memory than its limit; raise " + driverTerms.memory, "", corev1.TerminationMessageFallbackToLogsOnError},
		"lines of a message": {"Error", "no\nfile", "executor ended with exit code 1 (Error): no", "driver ended with exit code 1 (Error): no", "", corev1.TerminationMessageReadFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for role, want := range map[string]string{v1alpha1.SparkRoleExecutor: tc.executor, v1alpha1.SparkRoleDriver: tc.driver} {
				pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1alpha1.SparkRoleLabel: role}}}
				pod.Spec.Containers = []corev1.Container{{Name: "spark", TerminationMessagePolicy: tc.policy}}
				pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "spark", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
					ExitCode: 1, Reason: tc.reason, Message: tc.message}}}}
				record := RecordOf(pod)
				if got := containerFailed(record, map[Role]terms{Executor: executorTerms, Driver: driverTerms}[record.Role]); got.Message != want || record.Ended.Cause != tc.cause {
					t.Errorf("%s: got %q, because %q; want %q", role, got.Message, record.Ended.Cause, want)
				}
			}
		})
	}
}

// TestLastWordsOfAnInitContainer: its message is that of the pod.
func TestLastWordsOfAnInitContainer(t *testing.T) {
	t.Parallel()
	pod := &corev1.Pod{}
	pod.Status.Phase = corev1.PodFailed
	pod.Spec.InitContainers = []corev1.Container{{Name: "fetch", TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError}}
	pod.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "fetch", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
		ExitCode: 2, Reason: "Error", Message: "Traceback (most recent call last):\n  File\nValueError: a\n"}}}}
	if got, want := RecordOf(pod).Message, "init container fetch ended with exit code 2 (Error): ValueError: a"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
