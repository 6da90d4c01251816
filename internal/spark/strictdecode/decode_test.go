// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/internal/base/finding"
)

func TestDecodeTemplate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document string
		want     []finding.Finding
	}{
		"all is well": {
			document: `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x","image":"i","resources":{"limits":{"cpu":3}}}]}}`,
		},
		"a field misspelt deep inside": {
			document: `{"spec":{"containers":[{"name":"x"},{"imagee":"i"}]}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.containers[1].imagee", Message: `unknown field "imagee": write image, or remove it`}},
		},
		"a field in the wrong case": {
			document: `{"spec":{"nodeselector":{}}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.nodeselector", Message: `unknown field "nodeselector": write nodeSelector, or remove it`}},
		},
		"a field that belongs elsewhere": {
			document: `{"spec":{"securityContext":{"capabilities":{}}}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.securityContext.capabilities", Message: `unknown field "capabilities": remove it, or move it to where it belongs`}},
		},
		"two mistakes": {
			document: `{"specc":{},"metadata":{"label":{}}}`,
			want: []finding.Finding{
				{Field: "spec.t.specc", Message: `unknown field "specc": write spec, or remove it`},
				{Field: "spec.t.metadata.label", Message: `unknown field "label": write labels, or remove it`},
			},
		},
		"a field given twice": {
			document: `{"spec":{"hostname":"a","hostname":"b"}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.hostname", Message: "duplicate field"}},
		},
		"a number where text is expected": {
			document: `{"spec":{"containers":[{"env":[{"name":"A","value":"x"},{"name":"B","value":1}]}]}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.containers[0].env[1].value", Message: "expected a string (in quotes), found an integer: 1"}},
		},
		"text where a number is expected": {
			document: `{"spec":{"containers":[{"ports":[{"containerPort":"80"}]}]}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.containers[0].ports[0].containerPort", Message: `expected an integer (without quotes), found a string: "80"`}},
		},
		"text where a switch is expected": {
			document: `{"spec":{"hostNetwork":"yes"}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.hostNetwork", Message: `expected true or false (without quotes), found a string: "yes"`}},
		},
		"a malformed quantity": {
			document: `{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"one"}}}]}}`,
			want: []finding.Finding{{
				Field:   "spec.t.spec.containers[0].resources.limits.nvidia.com/gpu",
				Message: `expected a quantity such as 500m or 2Gi, found a string: "one"`,
			}},
		},
		"a group where a list is expected": {
			document: `{"spec":{"containers":{"name":"x"}}}`,
			want:     []finding.Finding{{Field: "spec.t.spec.containers", Message: `expected a list, found an object: {"name":"x"}`}},
		},
		"a list where a group is expected": {
			document: `{"metadata":{"labels":[]}}`,
			want:     []finding.Finding{{Field: "spec.t.metadata.labels", Message: `expected an object, found a list: []`}},
		},
		"text where the whole is expected": {
			document: `"nothing"`,
			want:     []finding.Finding{{Field: "spec.t", Message: `expected an object, found a string: "nothing"`}},
		},
		"a malformed time": {
			document: `{"metadata":{"creationTimestamp":"today"}}`,
			want:     []finding.Finding{{Field: "spec.t.metadata.creationTimestamp", Message: `expected a time such as 2026-01-31T12:00:00Z, found a string: "today"`}},
		},
		"a port that is neither": {
			document: `{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}`,
			want: []finding.Finding{{
				Field:   "spec.t.spec.containers[0].livenessProbe.httpGet.port",
				Message: "expected a number or a string, found a boolean: true",
			}},
		},
		"a switch where text is expected, in a map": {
			document: `{"metadata":{"annotations":{"x":true}}}`,
			want:     []finding.Finding{{Field: "spec.t.metadata.annotations.x", Message: "expected a string (in quotes), found a boolean: true"}},
		},
		"a long value is cut": {
			document: `{"spec":{"containers":"` + "0123456789012345678901234567890123456789012345678901234567890123456789" + `"}}`,
			want: []finding.Finding{{
				Field:   "spec.t.spec.containers",
				Message: `expected a list, found a string: "012345678901234567890123456789012345678901234567890123456789012…`,
			}},
		},
		"no JSON": {
			document: `{"spec":`,
			want:     []finding.Finding{{Field: "spec.t", Message: "the document is not JSON (at byte 8): write valid YAML or JSON"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Decode([]byte(test.document), "spec.t", &corev1.PodTemplateSpec{})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeKeepsWhatCouldBeRead(t *testing.T) {
	t.Parallel()
	var volume corev1.Volume
	findings := Decode([]byte(`{"name":"scratch","emptyDirr":{}}`), "spec.driver.volumes[3]", &volume)
	want := []finding.Finding{{Field: "spec.driver.volumes[3].emptyDirr", Message: `unknown field "emptyDirr": write emptyDir, or remove it`}}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	if volume.Name != "scratch" {
		t.Errorf("name = %q, want scratch", volume.Name)
	}
}

func TestDecodeReadsInlinedFields(t *testing.T) {
	t.Parallel()
	// hostPath belongs to a struct that Volume inlines.
	findings := Decode([]byte(`{"name":"x","hostPath":{"path":7}}`), "v", &corev1.Volume{})
	want := []finding.Finding{{Field: "v.hostPath.path", Message: "expected a string (in quotes), found an integer: 7"}}
	if diff := cmp.Diff(want, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestTypeAt(t *testing.T) {
	t.Parallel()
	var template corev1.PodTemplateSpec
	for path, want := range map[string]string{
		"":                                "PodTemplateSpec",
		"spec":                            "PodSpec",
		"spec.containers[0]":              "Container",
		"spec.containers[0].env[12]":      "EnvVar",
		"spec.affinity.nodeAffinity":      "NodeAffinity",
		"spec.containers[0].nothing.here": "",
	} {
		got := typeAt(reflect.TypeOf(template), path)
		switch {
		case got == nil && want != "":
			t.Errorf("typeAt(%q) = nil, want %s", path, want)
		case got != nil && got.Name() != want:
			t.Errorf("typeAt(%q) = %s, want %s", path, got.Name(), want)
		}
	}
}
