// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// TestListsForPrograms: an empty list is written as a list, and each item has its kind.
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
}

// TestManifestsWithoutManagers: objects are printed as kubectl does, complete except for managedFields.
func TestManifestsWithoutManagers(t *testing.T) {
	t.Parallel()
	object := json.RawMessage(`{"apiVersion":"x","metadata":{"name":"pi","generation":9007199254740993,"managedFields":[{"manager":"flux"}]},"spec":{"unknown":1.50}}`)
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications/pi": {{200, object}}, apis + "namespaces/spark/sparkapplications": listOf(object),
		apis + "sparkqueues/pi": {{200, object}}, apis + "sparkqueues": listOf(object),
	})
	for _, args := range []string{"get pi", "list", "queue pi", "queue"} {
		code, out, problem := call("", append(strings.Fields(args), "-o", "json", "--kubeconfig="+kubeconfig)...)
		if code != 0 || strings.Contains(out, "managedFields") || !strings.Contains(out, "9007199254740993") || !strings.Contains(out, `"unknown": 1.50`) {
			t.Errorf("%s: exit code %d, %s%s", args, code, out, problem)
		}
	}
}
