// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

// inStages returns applications of namespace spark, each in a stage and a queue.
func inStages() []reply {
	app := func(name, queue, stage string, generation int64) v1alpha1.SparkApplication {
		a := v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "spark", Name: name, Generation: generation}}
		a.Status.Queue, a.Status.Conditions = queue, []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: stage, Message: "why " + name}}
		return a
	}
	return listOf(app("a", "red", v1alpha1.QueuedReason, 10), app("b", "blue", v1alpha1.FailedReason, 9), app("c", "red", v1alpha1.FailedReason, 1))
}

// TestFields: the forms of kubectl for parts of objects, and for their order.
func TestFields(t *testing.T) {
	t.Parallel()
	_, kubeconfig := startAPIServer(t, "mine", map[string][]reply{
		apis + "namespaces/spark/sparkapplications": inStages(), apis + "namespaces/spark/sparkapplications/pi": applicationWith(v1alpha1.RunningReason, "the driver runs", nil),
	})
	for line, want := range map[string]string{
		"list -o jsonpath={.items[*].metadata.name}":                                          "a b c",
		"list -o jsonpath={.items[0].metadata.generation}{.items[0].spec.none}":               "10",
		"list -o custom-columns=NAME:.metadata.name,QUEUE:.status.queue,NONE:.spec.none":      "NAME   QUEUE   NONE\na      red     <none>\nb      blue    <none>\nc      red     <none>\n",
		"list --no-headers --stage Failed -o custom-columns=NAME:{.metadata.name}":            "b\nc\n",
		"list -o name --sort-by .metadata.generation":                                         "sparkapplication.sparkgate.io/c\nsparkapplication.sparkgate.io/b\nsparkapplication.sparkgate.io/a\n",
		"list -o jsonpath={.items[*].metadata.name} --sort-by={.status.queue} --stage Failed": "b c",
		"get pi -o jsonpath={.metadata.name}":                                                 "pi",
		"get pi -o custom-columns=STAGE:.status.conditions[0].reason":                         "STAGE\nRunning\n",
	} {
		if code, out, problem := call("", append(strings.Fields(line), "--kubeconfig="+kubeconfig)...); code != 0 || out != want {
			t.Errorf("%s: exit code %d, %q, want %q; %s", line, code, out, want, problem)
		}
	}
	if _, out, _ := call("", "list", "--no-headers", "--kubeconfig="+kubeconfig); strings.Contains(out, "NAME") || strings.Count(out, "\n") != 3 {
		t.Errorf("without headers: %q", out)
	}
	for line, want := range map[string]string{
		"list -o custom-columns=NAME": `"NAME" is not a valid column`, "list -o jsonpath={.items[": "-o jsonpath: ", "list -o jsonpath=": "set it to", "list --sort-by .a[": "is not a valid path",
	} {
		if code, _, problem := call("", append(strings.Fields(line), "--kubeconfig="+kubeconfig)...); code != 2 || !strings.Contains(problem, want) {
			t.Errorf("%s: exit code %d, %q, want %q", line, code, problem, want)
		}
	}
}

// TestSeveral: commands that change applications take several names, or flags that select them. Without --yes they only
// say which these are.
func TestSeveral(t *testing.T) {
	t.Parallel()
	const path = "/apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications"
	for line, want := range map[string][]string{
		"suspend a b":                                     {"PATCH " + path + "/a", "PATCH " + path + "/b"},
		"resume c --wait":                                 nil,
		"suspend --queue red":                             nil,
		"suspend --queue red --yes":                       {"PATCH " + path + "/a", "PATCH " + path + "/c"},
		"rerun --stage failed -y":                         {"PATCH " + path + "/b", "PATCH " + path + "/c"},
		"rerun --stage failed -y --wait":                  nil,
		"resume a --queue red --yes":                      nil,
		"delete -l team=a --stage Queued -y --wait=false": {"DELETE " + path + "/a"},
		"delete --yes":                                    nil,
		"suspend --queue green --yes":                     nil,
	} {
		replies := map[string][]reply{"GET " + path: inStages()}
		for _, name := range []string{"a", "b", "c"} {
			replies["PATCH "+path+"/"+name] = applicationWith(v1alpha1.SuspendedReason, "", nil)
			replies["GET "+path+"/"+name] = applicationWith(v1alpha1.SuspendedReason, "", nil)
			replies["DELETE "+path+"/"+name] = []reply{{200, struct{}{}}}
		}
		s, kubeconfig := startAPIServer(t, "mine", replies)
		code, _, problem := call("", append(strings.Fields(line), "-n", "spark", "--kubeconfig="+kubeconfig)...)
		var changes []string
		for _, request := range s.calls {
			if !strings.HasPrefix(request, "GET ") {
				changes = append(changes, request)
			}
		}
		if !slices.Equal(changes, want) || (code == 0) != (want != nil) {
			t.Errorf("%s: exit code %d, sent %q, want %q; %s", line, code, changes, want, problem)
		}
		if line == "suspend --queue red" && !strings.Contains(problem, "2 SparkApplications in namespace spark with queue red: spark/a, spark/c; add --yes to suspend them") {
			t.Errorf("%s says %s", line, problem)
		}
	}
}
