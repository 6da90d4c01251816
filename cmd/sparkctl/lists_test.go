// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/offline"
)

// TestListsForPrograms: an empty list is one, and what is in one says its kind.
func TestListsForPrograms(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "sparkqueues":                           listOf[v1alpha1.SparkQueue](),
		apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.RunningReason, "the driver runs", nil),
		"GET /api/v1/namespaces/spark/pods":            listOf[corev1.Pod](),
		"GET /api/v1/namespaces/spark/events":          listOf(corev1.Event{InvolvedObject: corev1.ObjectReference{UID: "1"}, Reason: "Running"}),
	})
	if _, out, problem := call("", "queue", "-o", "json", "--kubeconfig="+kubeconfig); !strings.Contains(out, `"items": []`) {
		t.Errorf("no queues: %s%s", out, problem)
	}
	if _, out, problem := call("", "events", "pi", "-o", "yaml", "--kubeconfig="+kubeconfig); !strings.Contains(out, "- apiVersion: v1\n") || !strings.Contains(out, "  kind: Event\n") {
		t.Errorf("events: %s%s", out, problem)
	}
	var out strings.Builder
	f := planFlags{output: "json"}
	if err := f.print(offline.Plan{}, streams{out: &out}); err != nil || strings.Contains(out.String(), "null") {
		t.Errorf("a plan in which nothing happens: %v, %s", err, out.String())
	}
}
