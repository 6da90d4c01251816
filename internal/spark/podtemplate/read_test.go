// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package podtemplate

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRead reads values as recordings show that the real client does.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"texts of an annotation": {
			"metadata: {annotations: {a: yes, b: 012, c: 1e3, d: ~, e: 0x1f, f: 2026-01-01, g: 1.50, h: .5, i: TRUE, j: 1., k: -0, l: '', m: .inf, n: null, o: true, p: 7}}",
			`{"metadata":{"annotations":{"a":"yes","b":"012","c":"1000.0","d":"~","e":"0x1f","f":"2026-01-01","g":"1.5","h":".5","i":"TRUE","j":"1.0","k":"0","l":"","m":"Infinity","n":null,"o":"true","p":"7"}}}`,
		},
		"switches":           {"spec: {hostNetwork: True, hostPID: 'false', hostIPC: 1, shareProcessNamespace: ''}", `{"spec":{"hostIPC":true,"hostNetwork":true,"hostPID":false,"shareProcessNamespace":null}}`},
		"no switch":          {"spec: {hostNetwork: yes}", `{"spec":{"hostNetwork":"yes"}}`},
		"large numbers":      {"spec: {terminationGracePeriodSeconds: '30', activeDeadlineSeconds: 5.7}", `{"spec":{"activeDeadlineSeconds":5,"terminationGracePeriodSeconds":30}}`},
		"small numbers":      {"spec: {priority: '7', containers: [{ports: [{containerPort: 1.0}]}]}", `{"spec":{"containers":[{"ports":[{"containerPort":"1.0"}]}],"priority":7}}`},
		"modes":              {"spec: {volumes: [{configMap: {defaultMode: 0644, items: [{mode: '0o400'}, {mode: 256}]}}]}", `{"spec":{"volumes":[{"configMap":{"defaultMode":420,"items":[{"mode":256},{"mode":256}]}}]}}`},
		"ports by name":      {"spec: {containers: [{readinessProbe: {httpGet: {port: '80'}}, livenessProbe: {httpGet: {port: 80}}}]}", `{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":80}},"readinessProbe":{"httpGet":{"port":"80"}}}]}}`},
		"quantities":         {"spec: {containers: [{resources: {limits: {a/b: 1, c: 1.5Gi}}}]}", `{"spec":{"containers":[{"resources":{"limits":{"a/b":1,"c":"1.5Gi"}}}]}}`},
		"anchors":            {"metadata: {labels: &l {a: b}, annotations: *l}", `{"metadata":{"annotations":{"a":"b"},"labels":{"a":"b"}}}`},
		"no merging":         {"spec: {<<: {a: b}}", `{"spec":{"\u003c\u003c":{"a":"b"}}}`},
		"unknown fields":     {"spec: {foo: [1, yes, 0x1f], bar: 1.5}", `{"spec":{"bar":1.5,"foo":[1,"yes","0x1f"]}}`},
		"marks of documents": {"# c\n---\nspec: {}\n---\n# end\n", `{"spec":{}}`},
		"JSON":               {`{"kind": "Pod", "spec": {"priority": 3}}`, `{"kind":"Pod","spec":{"priority":3}}`},
		"nothing":            {"spec:\n  containers:\n  volumes: null\n", `{"spec":{"containers":null,"volumes":null}}`},
		"blocks":             {"spec:\n  containers:\n  - args:\n    - |\n      0x1\n    - !!str 5\n", `{"spec":{"containers":[{"args":["0x1\n","5"]}]}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod, err := Read([]byte(test.file))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(pod)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("pod (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ file, want string }{
		"nothing":                    {"", "it contains no pod"},
		"a comment":                  {"# x\n", "it contains no pod"},
		"two pods":                   {"spec: {}\n---\nspec: {}\n", "it is not one pod"},
		"a list":                     {"[]", "it is not one pod"},
		"a text":                     {"abc", "it is not one pod"},
		"another kind":               {"kind: Deployment\n", "it is of kind Deployment: write a Pod"},
		"a field twice":              {"spec: {}\nspec: {}\n", "line 2: duplicate field spec"},
		"a tag":                      {"spec: {a: !foo b}", "the tag !foo is not known"},
		"no YAML":                    {"a: [", "did not find"},
		"a number that ends nowhere": {"spec: {overhead: {cpu: .inf}}", "infinite number"},
		"a document within itself":   {"&a [*a]", "levels"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if pod, err := Read([]byte(test.file)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("pod %v, error %v, want %q", pod, err, test.want)
			}
		})
	}
}

// FuzzRead: whatever the file is, there is a pod that JSON can hold, or an error; and a pod that is written again in JSON reads as the same.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		"spec: {containers: [{name: a}]}", "&a [*a]", "a: 1e999", "metadata: {annotations: {a: .nan, b: 1_000}}", "spec: {priority: 0o17}", "? [a]\n: b", "{\"spec\": null}", "- -\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		pod, err := Read([]byte(file))
		if err != nil {
			return
		}
		written, err := json.Marshal(pod)
		if err != nil {
			t.Fatalf("%q cannot be written: %v", file, err)
		}
		again, err := Read(written)
		if err != nil {
			t.Fatalf("%q is written as %s, which cannot be read: %v", file, written, err)
		}
		if twice, err := json.Marshal(again); err != nil || string(twice) != string(written) {
			t.Errorf("%q is written as %s, and that as %s (%v)", file, written, twice, err)
		}
	})
}
