// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/client"
)

// clusterOf returns a client for the API server of a test.
func clusterOf(t *testing.T, kubeconfig string) *client.Cluster {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	cluster, err := client.New(config, "spark", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// becomes returns the answer to a watch in which an application changes once.
func becomes(t *testing.T, app any) []reply {
	t.Helper()
	text, err := json.Marshal(app)
	if err != nil {
		t.Fatal(err)
	}
	return []reply{{200, metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: text}}}}
}

// TestRunsAreNamedOnce: the message of some stages begins with run and attempt, which must not appear twice in the
// line.
func TestRunsAreNamedOnce(t *testing.T) {
	t.Parallel()
	running := applicationWith(v1alpha1.RunningReason, "run 2, attempt 1: driver pod pi is running", nil)
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications/pi": running, "POST /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications": running,
		apis + "namespaces/spark/sparkapplications": listOf(running[0].body), "GET /api/v1/namespaces/spark/pods": listOf[any](),
	})
	const manifest = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\n"
	for line, want := range map[string]string{
		"submit -f - --wait":  "run 2, attempt 1: Running: driver pod pi is running\n",
		"submit -f - --logs":  "run 2, attempt 1: Running: driver pod pi is running\n",
		"watch --until-ended": "spark/pi run 2 attempt 1 Running: driver pod pi is running\n",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			code, out, problem := call(manifest, append(strings.Fields(line), "--timeout=3s", "--kubeconfig="+kubeconfig)...)
			if code != exitTimeout || !strings.Contains(out+problem, want) {
				t.Errorf("exit code %d, %q in\n%s%s", code, want, out, problem)
			}
		})
	}
}

// TestAwaitNextRun: while the earlier run continues, the notes say so, with and without the log.
func TestAwaitNextRun(t *testing.T) {
	t.Parallel()
	for how, wait := range map[string]func(awaited, context.Context, io.Writer) error{"--wait": awaited.untilOver, "--logs": awaited.untilBegun} {
		_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
			apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.RunningReason, "the driver runs", nil),
			apis + "namespaces/spark/sparkapplications": becomes(t, applicationWith(v1alpha1.SucceededReason, "run 3 succeeded", func(s *v1alpha1.SparkApplicationStatus) {
				s.Run = 3
			})[0].body),
		})
		a := awaited{cluster: clusterOf(t, kubeconfig), name: "pi", begun: func(app *v1alpha1.SparkApplication) bool { return app.Status.Run == 3 }}
		var notes strings.Builder
		err := wait(a, t.Context(), &notes)
		if want := "waiting for the new run to begin; run 2, attempt 1: Running: the driver runs\n"; err != nil || !strings.HasPrefix(notes.String(), want) {
			t.Errorf("%s: %v, %q, want %q", how, err, notes.String(), want)
		}
	}
}
