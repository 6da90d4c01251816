// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// listOf returns the answer to a list request.
func listOf[T any](items ...T) []reply {
	if items == nil {
		items = []T{}
	}
	return []reply{{200, map[string]any{"metadata": map[string]any{"resourceVersion": "1"}, "items": items}}}
}

// TestHoldersOfAQueue: applications in a queue of another gate with the same name are left out.
func TestHoldersOfAQueue(t *testing.T) {
	t.Parallel()
	var apps []v1alpha1.SparkApplication
	for name, gate := range map[string]v1alpha1.GateType{"here": v1alpha1.GateEmbedded, "there": v1alpha1.GateKueue} {
		app := v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: name}}
		app.Status.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: gate, Queue: "team-a"}
		apps = append(apps, app)
	}
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "sparkqueues":       listOf(v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}),
		apis + "sparkapplications": listOf(apps...),
	})
	code, out, problem := call("", "queue", "team-a", "--kubeconfig="+kubeconfig)
	if code != 0 || !strings.Contains(out, "etl/here") || strings.Contains(out, "etl/there") {
		t.Errorf("exit code %d, %s\n%s", code, problem, out)
	}
}

// TestExplainQueueBelowADrainedOne: a held queue below a drained one is reported as drained, also while no operator
// answers.
func TestExplainQueueBelowADrainedOne(t *testing.T) {
	t.Parallel()
	root, queue := v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "root"}}, v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}
	root.Spec.StopPolicy, queue.Spec.StopPolicy, queue.Spec.Parent = v1alpha1.StopPolicyHoldAndDrain, v1alpha1.StopPolicyHold, "root"
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{apis + "sparkqueues": listOf(root, queue), apis + "sparkqueues/team-a": {{200, queue}}})
	code, out, problem := call("", "explain", "queue", "team-a", "--kubeconfig="+kubeconfig)
	if code != 0 || !strings.Contains(out, "nothing new is admitted, and what runs is stopped: queue root is drained (stopPolicy HoldAndDrain)") {
		t.Errorf("exit code %d, %s\n%s", code, problem, out)
	}
}

// TestHoldersOfADeletedQueue: they are listed at the queue above, where they count.
func TestHoldersOfADeletedQueue(t *testing.T) {
	t.Parallel()
	app := v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: "pi"}}
	app.Status.Grant = &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded, Queue: "team-a", Ancestors: []string{"root"}}
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "sparkqueues":       listOf(v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "root"}}),
		apis + "sparkapplications": listOf(app),
	})
	if code, out, problem := call("", "queue", "root", "--kubeconfig="+kubeconfig); code != 0 || !strings.Contains(out, "etl/pi") {
		t.Errorf("exit code %d, %s\n%s", code, problem, out)
	}
}

// TestExplainQueueBelowAHeldOne: the output names the queue whose stop policy applies, also while no operator answers.
func TestExplainQueueBelowAHeldOne(t *testing.T) {
	t.Parallel()
	root, queue := v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "root"}}, v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: "team-a"}}
	root.Spec.StopPolicy, queue.Spec.Parent = v1alpha1.StopPolicyHold, "root"
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{apis + "sparkqueues": listOf(root, queue), apis + "sparkqueues/team-a": {{200, queue}}})
	code, out, problem := call("", "explain", "queue", "team-a", "--kubeconfig="+kubeconfig)
	if code != 0 || !strings.Contains(out, "nothing new is admitted: queue root is held (stopPolicy Hold)") {
		t.Errorf("exit code %d, %s\n%s", code, problem, out)
	}
}
