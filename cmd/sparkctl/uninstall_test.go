// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

const (
	appList      = "GET /apis/sparkgate.io/v1alpha1/sparkapplications"
	workloadList = "GET /apis/kueue.x-k8s.io/v1beta2/workloads"
	podList      = "GET /api/v1/pods"
	operatorList = "GET /api/v1/namespaces/sparkgate-system/pods"
	piPath       = " /apis/sparkgate.io/v1alpha1/namespaces/spark/sparkapplications/pi"
	workloadPath = " /apis/kueue.x-k8s.io/v1beta2/namespaces/spark/workloads/pi"
)

// item returns an object with finalizers.
func item(uid string, finalizers []string, owner map[string]any) map[string]any {
	return map[string]any{"metadata": map[string]any{
		"namespace": "spark", "name": "pi", "uid": uid, "resourceVersion": "1", "finalizers": finalizers, "ownerReferences": []any{owner},
	}}
}

// page returns a page of a list.
func page(next string, items ...map[string]any) reply {
	return reply{200, map[string]any{"metadata": map[string]any{"continue": next}, "items": items}}
}

// TestUninstall checks what is found, what is written, and the messages for failures.
func TestUninstall(t *testing.T) {
	t.Parallel()
	const mine = "sparkgate.io/finalizer"
	app, done := item("1", []string{"example.com/a", mine}, nil), item("1", []string{"example.com/a"}, nil)
	owner := map[string]any{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "name": "pi", "uid": "1", "controller": true}
	stranger := map[string]any{"apiVersion": "batch/v1", "kind": "Job", "name": "pi", "uid": "1", "controller": true}
	none, conflict := page(""), refusal(409, "Conflict", "changed")
	tests := map[string]struct {
		args    []string
		in      string
		replies map[string][]reply
		code    int
		out     string // part of what is printed
		err     string // part of the error
	}{
		"not installed": {out: "SparkApplications            0"},
		"confirmed":     {in: "y\n", replies: map[string][]reply{appList: {page("", app), page("", done)}, "PATCH" + piPath: {{200, done}}}, out: "Remove 1 finalizer? [y/N] removed 1 of 1 finalizer"},
		"not confirmed": {replies: map[string][]reply{appList: {page("", app)}}, code: 1, err: "nothing was changed; answer y, or pass --yes"},
		"dry run":       {args: []string{"--dry-run", "--yes"}, replies: map[string][]reply{appList: {page("", app)}}, out: "1 without a status"},
		"two pages":     {args: []string{"--dry-run"}, replies: map[string][]reply{appList: {page("more", app), page("", app)}}, out: "SparkApplications            2"},
		"an operator": {
			args: []string{"--yes"}, replies: map[string][]reply{appList: {page("", app)}, operatorList: {page("", item("2", nil, nil))}},
			code: 1, err: "the operator still runs: pod pi in namespace sparkgate-system",
		},
		"an operator elsewhere": {
			args: []string{"--yes"}, replies: map[string][]reply{appList: {page("", app)}, "PATCH" + piPath: {{200, done}}},
			code: 1, out: "removed 1 of 1", err: "a finalizer was put on again (1 object)",
		},
		"changed meanwhile": {
			args: []string{"--yes"}, out: "removed 1 of 1",
			replies: map[string][]reply{appList: {page("", app), none}, "PATCH" + piPath: {conflict, {200, done}}, "GET" + piPath: {{200, app}}},
		},
		"another of that name": {
			args: []string{"--yes"}, out: "removed 1 of 1",
			replies: map[string][]reply{appList: {page("", app), none}, "PATCH" + piPath: {conflict, refusal(500, "InternalError", "patched twice")}, "GET" + piPath: {{200, item("9", []string{mine}, nil)}}},
		},
		"gone meanwhile": {args: []string{"--yes"}, replies: map[string][]reply{appList: {page("", app), none}}, out: "removed 1 of 1"},
		"forbidden": {
			args: []string{"--yes"}, replies: map[string][]reply{appList: {page("", app)}, "PATCH" + piPath: {refusal(403, "Forbidden", "you may not patch")}},
			code: 1, out: "removed 0 of 1", err: "remove finalizer sparkgate.io/finalizer of sparkapplications spark/pi: you may not patch",
		},
		"may not list": {replies: map[string][]reply{appList: {refusal(403, "Forbidden", "you may not list")}}, code: 1, err: "list sparkapplications: you may not list"},
		"Kueue's, of an application": {
			args: []string{"--yes"}, out: "kueue.x-k8s.io/resource-in-use of Workloads",
			replies: map[string][]reply{workloadList: {page("", item("3", []string{"kueue.x-k8s.io/resource-in-use"}, owner)), none}, "PATCH" + workloadPath: {{200, done}}},
		},
		"Kueue's, of another job": {args: []string{"--yes"}, replies: map[string][]reply{workloadList: {page("", item("3", []string{"kueue.x-k8s.io/resource-in-use"}, stranger))}}, out: "Finalizers to remove         0"},
		"a stray argument":        {args: []string{"everything"}, code: 2, err: `unexpected argument "everything"`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replies := map[string][]reply{podList: {none}, operatorList: {none}}
			for call, given := range tc.replies {
				replies[call] = given
			}
			_, kubeconfig := startAPIServer(t, "mine", replies)
			var out, problems bytes.Buffer
			code := run(append([]string{"uninstall", "--kubeconfig", kubeconfig}, tc.args...), cli.Streams{In: strings.NewReader(tc.in), Out: &out, Err: &problems})
			if code != tc.code || !strings.Contains(out.String(), tc.out) || !strings.Contains(problems.String(), tc.err) || tc.err == "" && problems.Len() > 0 {
				t.Errorf("code %d, want %d with %q and %q:\n%s\n%s", code, tc.code, tc.out, tc.err, out.String(), problems.String())
			}
		})
	}
}
