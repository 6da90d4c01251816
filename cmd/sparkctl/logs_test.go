// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// TestLogOfADriverThatIsGone: with and without -f, the command says that there is no log, and how the attempt failed.
func TestLogOfADriverThatIsGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		outcome          v1alpha1.AttemptOutcome
		message, problem string
	}{
		"stopped":  {outcome: v1alpha1.OutcomeStopped, problem: "the driver pod of attempt 1 of run 2 is gone; those of attempts that were stopped are not kept"},
		"failed":   {message: "driver ended with exit code 1: boom", problem: "spec.retention says how long it is kept; the attempt failed: driver ended with exit code 1: boom"},
		"not kept": {problem: "no log: the driver pod of attempt 1 of run 2 is gone; spec.retention says how long it is kept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.FailedReason, "run 2 failed", func(s *v1alpha1.SparkApplicationStatus) {
					s.Attempts = []v1alpha1.AttemptStatus{{Run: 2, Attempt: 1, Outcome: cmp.Or(tt.outcome, v1alpha1.OutcomeFailed), StartedAt: s.Times.Queued, FinishedAt: &metav1.Time{Time: s.Times.Queued.Time}, Message: tt.message}}
				}),
				"GET /api/v1/namespaces/spark/pods": listOf[corev1.Pod](),
			})
			for _, follow := range []bool{false, true} {
				args, code := []string{"logs", "pi", "--kubeconfig=" + kubeconfig}, cli.ExitFailed
				if follow {
					args, code = append(args, "-f"), 0
				}
				if got, out, problem := call("", args...); got != code || out != "" || !strings.Contains(problem, tt.problem) {
					t.Errorf("%q: exit code %d, %q, %q", args, got, out, problem)
				}
			}
		})
	}
}

// executorPod returns a running executor.
func executorPod(number string) corev1.Pod {
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: "exec-" + number, UID: types.UID(number), Labels: map[string]string{"spark-exec-id": number}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark-kubernetes-executor"}}},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "spark-kubernetes-executor", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
}

// TestLogsOfAllExecutors: an executor whose node does not answer is named, and the other logs are printed.
func TestLogsOfAllExecutors(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.RunningReason, "the driver runs", nil),
		"GET /api/v1/namespaces/spark/pods":            listOf(executorPod("1"), executorPod("2")),
		"GET /api/v1/namespaces/spark/pods/exec-1/log": {refusal(500, metav1.StatusReasonInternalError, "no route to node-1")},
		"GET /api/v1/namespaces/spark/pods/exec-2/log": {{200, "a line"}},
	})
	code, out, problem := call("", "logs", "pi", "--executor", "all", "--kubeconfig="+kubeconfig)
	if code != cli.ExitFailed || !strings.Contains(out, "[2] ") || !strings.Contains(out, "a line") || !strings.Contains(problem, "pod exec-1: ") || !strings.Contains(problem, "no route to node-1") {
		t.Errorf("exit code %d, %q, %q", code, out, problem)
	}
}

// TestFollowWithoutTheRight: logs -f ends at once if the user may not read the log, although the run continues. A log
// that cannot be read for another reason is an error at the end.
func TestFollowWithoutTheRight(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		stage   string
		refused reply
		problem []string
	}{
		"no right": {v1alpha1.RunningReason, refusal(403, metav1.StatusReasonForbidden, `pods "driver" is forbidden`), []string{"you may not get pods/log in namespace spark"}},
		"no node": {v1alpha1.SucceededReason, refusal(500, metav1.StatusReasonInternalError, "no route to node-1"),
			[]string{"The log of pod driver cannot be read", "no route to node-1", "sparkctl logs: there are logs that could not be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				apis + "namespaces/spark/sparkapplications/pi": applicationWith(tt.stage, "the driver", nil),
				"GET /api/v1/namespaces/spark/pods":            listOf(driverPod()),
				"GET /api/v1/namespaces/spark/pods/driver/log": {tt.refused},
			})
			code, out, problem := call("", "logs", "pi", "-f", "--kubeconfig="+kubeconfig)
			if code != cli.ExitFailed || out != "" {
				t.Errorf("exit code %d, %q, %q", code, out, problem)
			}
			for _, want := range tt.problem {
				if !strings.Contains(problem, want) {
					t.Errorf("no %q in %q", want, problem)
				}
			}
		})
	}
}

// TestLogBetweenAttempts: while the next attempt has no driver yet, the log of the one before is printed.
func TestLogBetweenAttempts(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.AttemptFailedReason, "attempt 1 failed", func(s *v1alpha1.SparkApplicationStatus) {
			s.Attempt = 2
			s.Attempts = []v1alpha1.AttemptStatus{{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeFailed, StartedAt: s.Times.Queued}}
		}),
		"GET /api/v1/namespaces/spark/pods":            slices.Concat(listOf[corev1.Pod](), listOf[corev1.Pod](), listOf(driverPod())),
		"GET /api/v1/namespaces/spark/pods/driver/log": {{200, "boom"}},
	})
	if code, _, problem := call("", "logs", "pi", "--attempt=2", "--kubeconfig="+kubeconfig); code != cli.ExitFailed || problem == "" {
		t.Errorf("--attempt 2: exit code %d, %q", code, problem)
	}
	code, out, problem := call("", "logs", "pi", "--kubeconfig="+kubeconfig)
	if code != 0 || !strings.Contains(out, "boom") || !strings.Contains(problem, "Attempt 2 has no driver that has started. This is the log of attempt 1:\n") {
		t.Errorf("exit code %d, %q, %q", code, out, problem)
	}
}

// TestLogOfADriverThatWaits: the error has the message of the stage.
func TestLogOfADriverThatWaits(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*v1alpha1.SparkApplicationStatus)
		want   string
	}{
		"its image":   {nil, "attempt 1 of run 2 has no driver that has started: Starting: image \"spark:typo\" cannot be pulled"},
		"never begun": {func(s *v1alpha1.SparkApplicationStatus) { s.Run = 0 }, "the run has not started: Starting: image \"spark:typo\" cannot be pulled"},
	} {
		_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
			apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.StartingReason, "image \"spark:typo\" cannot be pulled", tt.change),
			"GET /api/v1/namespaces/spark/pods":            listOf[corev1.Pod](),
		})
		if code, _, problem := call("", "logs", "pi", "--kubeconfig="+kubeconfig); code != cli.ExitFailed || !strings.Contains(problem, "no log: "+tt.want) {
			t.Errorf("%s: exit code %d, %s", name, code, problem)
		}
	}
}

// TestLogOfAnExecutorThatIsGone: the error says how it failed and which other executors have a log. With -f, a note
// says once that it may never start.
func TestLogOfAnExecutorThatIsGone(t *testing.T) {
	t.Parallel()
	lost := func(s *v1alpha1.SparkApplicationStatus) {
		s.Executors = &v1alpha1.ExecutorStatus{Wanted: 3, Ready: 2, Failed: 1, Failures: []v1alpha1.ExecutorFailure{
			{Pod: "pi-1-1-exec-7", Reason: "OOMKilled", Message: "executor was killed with exit code 137; raise executor.memoryOverhead"},
		}}
	}
	for number, why := range map[string]string{
		"7":  "its pod is gone, because it has failed: OOMKilled: executor was killed with exit code 137; raise executor.memoryOverhead",
		"17": "it has not started, or it has ended and Spark has deleted its pod, which executor.deleteOnTermination: false prevents",
	} {
		t.Run(number, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.RunningReason, "the driver runs", lost),
				"GET /api/v1/namespaces/spark/pods":            append(listOf[corev1.Pod](), listOf(executorPod("10"), executorPod("2"))...),
			})
			code, _, problem := call("", "logs", "pi", "--executor", number, "--kubeconfig="+kubeconfig)
			want := "sparkctl logs: no log of executor " + number + " in attempt 1 of run 2: " + why + "; these have one: 2, 10\n"
			if code != cli.ExitFailed || problem != want {
				t.Errorf("exit code %d, (-want +got)\n- %s+ %s", code, want, problem)
			}
		})
	}
	failed := append(applicationWith(v1alpha1.RunningReason, "the driver runs", lost), applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", lost)...)
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications/pi": failed, "GET /api/v1/namespaces/spark/pods": listOf[corev1.Pod](),
	})
	code, _, problem := call("", "logs", "pi", "--executor", "7", "-f", "--kubeconfig="+kubeconfig)
	if said := "Executor 7 has no pod: it has failed: OOMKilled: "; code != 0 || strings.Count(problem, said) != 1 {
		t.Errorf("followed: exit code %d, %q once in:\n%s", code, said, problem)
	}
}
