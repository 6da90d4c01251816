// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/fluxcd/pkg/apis/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// requestedAnew returns an application for which another client has requested a run after us, and whose given token was
// handled.
func requestedAnew(handled string) []reply {
	replies := applicationWith(v1alpha1.SucceededReason, "run 2 succeeded", func(s *v1alpha1.SparkApplicationStatus) { s.LastHandledForceAt = handled })
	app := replies[0].body.(*v1alpha1.SparkApplication)
	app.Annotations = map[string]string{meta.ReconcileRequestAnnotation: "a later one", meta.ForceRequestAnnotation: "a later one"}
	return replies
}

// TestRerunThatIsOvertaken: the command waits for the run that a later request has started, and its notes are not part
// of the log.
func TestRerunThatIsOvertaken(t *testing.T) {
	t.Parallel()
	const path = " /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications/pi"
	for name, tt := range map[string]struct {
		how, handled, timeout string
		code                  int
	}{
		"overtaken":             {"--wait", "a later one", "1m", 0},
		"overtaken, and logged": {"--logs", "a later one", "1m", 0},
		"not handled yet":       {"--wait", "an earlier one", "1500ms", cli.ExitTimeout},
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

// TestRerunSaysWhatFollows: the note says whether the current run is stopped for the new one.
func TestRerunSaysWhatFollows(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*v1alpha1.SparkApplication)
		want   string
	}{
		"a job":     {func(*v1alpha1.SparkApplication) {}, "; it follows run 2, which has not finished\n"},
		"a stream":  {func(app *v1alpha1.SparkApplication) { app.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning }, "; run 2 is stopped for it (onTemplateChange Restart)\n"},
		"its end":   {func(app *v1alpha1.SparkApplication) { app.Status.Times.Finished = app.Status.Times.Queued }, "requested\n"},
		"suspended": {func(app *v1alpha1.SparkApplication) { app.Spec.Suspend = true }, "; it is suspended: resume it to have it run\n"},
	} {
		replies := applicationWith(v1alpha1.RunningReason, "the driver runs", nil)
		tt.change(replies[0].body.(*v1alpha1.SparkApplication))
		_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{"PATCH /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications/pi": replies})
		code, out, problem := call("", "rerun", "pi", "--kubeconfig="+kubeconfig)
		if code != 0 || !strings.HasSuffix(out, "pi: another run is requested"+strings.TrimPrefix(tt.want, "requested")) {
			t.Errorf("%s: exit code %d, %q, %q; want %q", name, code, out, problem, tt.want)
		}
	}
}

// TestRerunThatIsReplaced: if another client requests only a look before the operator has seen our request, that voids
// the request, so the command stops waiting.
func TestRerunThatIsReplaced(t *testing.T) {
	t.Parallel()
	for handled, want := range map[string]int{"a look": cli.ExitFailed, "an earlier one": cli.ExitTimeout} {
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
				timeout := map[bool]string{true: "1s", false: "1m"}[want == cli.ExitTimeout]
				code, _, problem := call("", "rerun", "pi", how, "--timeout", timeout, "--kubeconfig="+kubeconfig)
				if code != want || want == cli.ExitFailed && !strings.Contains(problem, "request the run again") {
					t.Errorf("exit code %d, want %d: %s", code, want, problem)
				}
			})
		}
	}
}
