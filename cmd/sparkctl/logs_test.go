// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
