// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// FuzzDecode: reading comes to an end and names every mistake below the path; what has none, written again, is read as the same.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"spec": {"containers": [{"name": "a", "image": "b", "resources": {"limits": {"cpu": "1e3", "x/y": 2}}}]}}`,
		`{"metadata": {"labels": {"a": null}, "creationTimestamp": null}}`, `{"spec": {"containers": [null], "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1e-99999"}}]}}`,
		`{"spec": {"hostNetwork": "true"}, "spec": 1}`, `[]`, `null`, `{"Spec": {}}`, `{"spec": {"overhead": {"": ""}}}`, "{\"a\": \"\xff\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		var template corev1.PodTemplateSpec
		findings := Decode(document, "spec.driver.template", &template)
		for _, m := range findings {
			if !strings.HasPrefix(m.Field, "spec.driver.template") || m.Message == "" {
				t.Errorf("%q: mistake %q", document, m)
			}
		}
		if len(findings) > 0 {
			return
		}
		written, err := json.Marshal(&template)
		if err != nil {
			t.Fatalf("%q cannot be written: %v", document, err)
		}
		var again corev1.PodTemplateSpec
		if findings := Decode(written, "x", &again); len(findings) > 0 {
			t.Fatalf("%q is written as %s, which has mistakes: %v", document, written, findings)
		}
		if twice, err := json.Marshal(&again); err != nil || !reflect.DeepEqual(twice, written) {
			t.Errorf("%q is written as %s, and that as %s (%v)", document, written, twice, err)
		}
	})
}
