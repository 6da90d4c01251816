// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
	"github.com/sparkgate/sparkgate/internal/tools/client"
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
			if code != cli.ExitTimeout || !strings.Contains(out+problem, want) {
				t.Errorf("exit code %d, %q in\n%s%s", code, want, out, problem)
			}
		})
	}
}
