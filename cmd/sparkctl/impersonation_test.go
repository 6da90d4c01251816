// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestExplainAsAnotherUser: with --as the operator is not asked, because it would answer the user whose token it gets,
// who may see more. What the status says is read as the other user.
func TestExplainAsAnotherUser(t *testing.T) {
	t.Parallel()
	s, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		proxied + "namespaces/spark/applications/pi":   {{200, fromPage(t, "An application that waits")}},
		apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.QueuedReason, "needs cpu", notAdmitted(v1alpha1.WaitingForQuotaReason, "needs cpu")),
		apis + "sparkqueues/team-a":                    queueWith(1),
	})
	code, out, problem := call("", "explain", "pi", "--as", "bob", "--kubeconfig="+kubeconfig)
	if want := "the operator cannot be asked as another user (--as bob)"; code != 0 || !strings.Contains(out, want) {
		t.Errorf("exit code %d, no %q in:\n%s%s", code, want, out, problem)
	}
	if len(s.carried) > 0 {
		t.Errorf("the operator was given the token of the caller: %q", s.carried)
	}
}
