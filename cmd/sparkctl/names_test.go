// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// TestNamesThatAreNone: a name that is a step of a path must not reach the API server, where it would mean another
// object: "delete ." would delete all applications of the namespace.
func TestNamesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".", "..", "sgapp/.", "sgapp/..", "%2e", "a%2Fb"} {
		for _, command := range []string{"delete NAME", "delete NAME --wait=false", "suspend NAME", "get NAME", "logs NAME", "rerun NAME", "explain NAME"} {
			t.Run(command+" "+name, func(t *testing.T) {
				t.Parallel()
				s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
					"DELETE /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications": {{http.StatusOK, struct{}{}}},
					apis + "namespaces/spark/sparkapplications":                             listOf[any](),
				})
				code, out, problem := call("", append(strings.Fields(strings.Replace(command, "NAME", name, 1)), "--kubeconfig="+kubeconfig)...)
				if code != cli.ExitUsage || out != "" || !strings.Contains(problem, "cannot be the name of an object") {
					t.Errorf("exit code %d, %q, %q", code, out, problem)
				}
				if len(s.calls) > 0 {
					t.Errorf("sent: %q", s.calls)
				}
			})
		}
	}
}

// TestNamespacesThatAreNone: the same holds for namespaces.
func TestNamespacesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, namespace := range []string{".", "..", "a/b"} {
		s, kubeconfig := startAPIServer(t, "mine", nil)
		for _, line := range []string{"list", "get pi", "delete pi", "watch", "submit -f -"} {
			const manifest = "apiVersion: sparkgate.io/v1alpha1\nkind: SparkApplication\nmetadata: {name: pi}\n"
			code, out, problem := call(manifest, append(strings.Fields(line), "-n", namespace, "--kubeconfig="+kubeconfig)...)
			if code == 0 || out != "" || !strings.Contains(problem, "namespace") {
				t.Errorf("%s -n %s: exit code %d, %q, %q", line, namespace, code, out, problem)
			}
		}
		if sent := slices.Compact(s.calls); len(sent) > 0 {
			t.Errorf("-n %s: sent %q", namespace, sent)
		}
	}
}
