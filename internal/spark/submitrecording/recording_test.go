// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package submitrecording

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	r, err := Read([]byte("\uFEFF" + `{
		"description": "ignored", "group": "ignored", "contentType": "ignored",
		"sparkVersion": "4.1.4", "name": "x", "args": ["--conf", "a=b", "local:///x.jar"],
		"env": {"SPARK_USER": "alice", "HOME": null},
		"files": {"a.txt": "A", "/TMP/conf/b.txt": "B"}, "filesBase64": {"c.bin": "AAE="},
		"serverRefuses": {"POST pods": 409},
		"requests": [{"method": "POST", "path": "/api/v1/namespaces/n/pods?fieldManager=x", "body": {"kind": "Pod"}, "contentType": "x"}, {"method": "GET", "path": "/x", "body": null}],
		"exit": 1, "errorLines": null, "stderrTail": "tail"
	}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"SPARK_USER": "alice"}, r.Environment()); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"a.txt": "A", "/TMP/a.txt": "A", "file:///TMP/a.txt": "A", "conf/b.txt": "B", "./conf/b.txt": "B", "/TMP/c.bin": "\x00\x01",
	} {
		if got, err := r.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
	if _, err := r.ReadFile("none"); err == nil {
		t.Error("a file that is not there was read")
	}
	if diff := cmp.Diff(map[string]string{"b.txt": "B"}, r.Folder("/TMP/conf/")); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	if r.Refused() {
		t.Error("a request that the server refused counts as a refusal of the client")
	}
	if got := r.Message(); got != "tail" {
		t.Errorf("message %q", got)
	}
	sent, err := r.Sent()
	if err != nil || sent.Empty() {
		t.Errorf("the pod is not there: %v", err)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"":                                 "not a recording in JSON",
		"[]":                               "not a recording in JSON",
		"{}":                               "does not say sparkVersion",
		`{"sparkVersion": "4.1.4"}`:        "has no args",
		`{"sparkVersion": 4, "args": []}`:  "not a recording in JSON",
		`{"sparkVersion": "4", "args": 1}`: "not a recording in JSON",
		`{"sparkVersion": "4", "args": [""], "filesBase64": {"x": "!"}}`: "filesBase64[x] is not valid base64",
	} {
		if _, err := Read([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
	r, err := Read([]byte(`{"sparkVersion": "4", "args": ["x"], "requests": [{"method": "POST", "path": "/pods", "body": "a: ["}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Sent(); err == nil || !strings.Contains(err.Error(), "requests[0] (POST /pods)") {
		t.Errorf("the request that cannot be read is not named: %v", err)
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	pod := `{"method": "POST", "path": "/api/v1/namespaces/n/pods", "body": "{}"}`
	for name, test := range map[string]struct {
		rest string
		want bool
	}{
		"sent":                      {`"requests": [` + pod + `], "exit": 0`, false},
		"failed before":             {`"requests": [], "exit": 1`, true},
		"without requests":          {`"exit": 101`, true},
		"failed after":              {`"requests": [` + pod + `], "exit": 1`, false},
		"the server refused":        {`"requests": [], "exit": 1, "serverRefuses": {"PATCH podgroups": 403}`, false},
		"asked, but sent nothing":   {`"requests": [{"method": "GET", "path": "/version"}], "exit": 1`, true},
		"ended well with no object": {`"exit": 0`, false},
	} {
		r, err := Read([]byte(`{"sparkVersion": "4.1.4", "args": ["x"], ` + test.rest + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Refused(); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestRequestsInAnyForm: order, queries, repeated and partial requests do not matter.
func TestRequestsInAnyForm(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"3.5.9", "4.3.0"} {
		r := recorded(t, version+"/template-both")
		want, err := r.Sent()
		if err != nil {
			t.Fatal(err)
		}
		all := slices.Clone(r.Requests)
		slices.Reverse(all)
		for i := range all {
			all[i].Method, all[i].Path = strings.ToLower(all[i].Method), all[i].Path+"?fieldManager=fabric8&force=true"
		}
		all = append(all, all...)
		all = append(all,
			Request{"PATCH", "/x", `[{"op": "add", "path": "/metadata/ownerReferences", "value": []}]`},
			Request{"PATCH", "/x", `{"metadata": {"ownerReferences": []}}`},
			Request{"DELETE", "/pods/x", `{"kind": "DeleteOptions"}`}, Request{"GET", "/pods/x", ""},
		)
		r.Requests = all
		got, err := r.Sent()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range Compare(want, got) {
			t.Errorf("Spark %s: %s", version, d)
		}
	}
}

// TestNothingSecretIsShown: values of sensitive properties and variables are compared, but not printed.
func TestNothingSecretIsShown(t *testing.T) {
	t.Parallel()
	a, b := sentBy(t, "env-field"), sentBy(t, "env-field")
	a.properties, b.properties = maps.Clone(a.properties), maps.Clone(b.properties)
	a.properties["spark.ssl.keyPassword"], b.properties["spark.ssl.keyPassword"] = "hunter1", "hunter2"
	env := listOf(a.pod["spec"].(map[string]any)["containers"])[0]["env"].([]any)
	listOf(a.pod["spec"].(map[string]any)["containers"])[0]["env"] = append(env, map[string]any{"name": "DB_PASSWORD", "value": "hunter3"})
	differences := Compare(a, b)
	if len(differences) == 0 {
		t.Fatal("no difference is seen")
	}
	for _, d := range differences {
		if strings.Contains(d.String(), "hunter") {
			t.Errorf("a secret is told: %s", d)
		}
	}
}
