// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// requestedAnew is an application of which another client has requested a run after us, and whose token was handled.
func requestedAnew(handled string) []reply {
	replies := applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", func(s *v1alpha1.SparkApplicationStatus) { s.LastHandledForceAt = handled })
	app := replies[0].body.(*v1alpha1.SparkApplication)
	app.Annotations = map[string]string{meta.ReconcileRequestAnnotation: "a later one", meta.ForceRequestAnnotation: "a later one"}
	return replies
}

// TestRerunThatIsOvertaken: the run that another request has led to is the one that is waited for; and what is said does not stand in the log.
func TestRerunThatIsOvertaken(t *testing.T) {
	t.Parallel()
	const path = " /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications/pi"
	for name, tt := range map[string]struct {
		how, handled, timeout string
		code                  int
	}{
		"overtaken":             {"--wait", "a later one", "1m", 0},
		"overtaken, and logged": {"--logs", "a later one", "1m", 0},
		"not handled yet":       {"--wait", "an earlier one", "1500ms", exitTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
				"PATCH" + path: requestedAnew(""), "GET" + path: requestedAnew(tt.handled), "GET /api/v1/namespaces/spark/pods": listOf(driverPod()),
				"GET /api/v1/namespaces/spark/pods/driver/log": {{200, "a line"}},
			})
			code, out, problem := call("", "rerun", "pi", tt.how, "--timeout", tt.timeout, "--kubeconfig="+kubeconfig)
			if code != tt.code {
				t.Errorf("exit code %d, want %d: %s", code, tt.code, problem)
			}
			if requested := strings.Contains(out, "another run is requested"); requested == (tt.how == "--logs") {
				t.Errorf("%s: standard output is %q, standard error %q", tt.how, out, problem)
			}
		})
	}
}

// TestRerunThatIsReplaced: a request for a look alone that another client makes before the operator has seen ours voids it, so nothing is waited
// for.
func TestRerunThatIsReplaced(t *testing.T) {
	t.Parallel()
	for handled, want := range map[string]int{"a look": exitFailed, "an earlier one": exitTimeout} {
		replies := applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", func(s *v1alpha1.SparkApplicationStatus) {
			s.LastHandledForceAt, s.LastHandledReconcileAt = "an earlier one", handled
		})
		app := replies[0].body.(*v1alpha1.SparkApplication)
		app.Annotations = map[string]string{meta.ReconcileRequestAnnotation: "a look", meta.ForceRequestAnnotation: "ours"}
		const path = " /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications/pi"
		for _, how := range []string{"--wait", "--logs"} {
			t.Run(handled+how, func(t *testing.T) {
				t.Parallel()
				_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{"PATCH" + path: replies, "GET" + path: replies})
				timeout := map[bool]string{true: "1s", false: "1m"}[want == exitTimeout]
				code, _, problem := call("", "rerun", "pi", how, "--timeout", timeout, "--kubeconfig="+kubeconfig)
				if code != want || want == exitFailed && !strings.Contains(problem, "request the run again") {
					t.Errorf("exit code %d, want %d: %s", code, want, problem)
				}
			})
		}
	}
}
