// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package strictdecode

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestDecodeTemplate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		document string
		want     []Mistake
	}{
		"all is well": {
			document: `{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"x","image":"i","resources":{"limits":{"cpu":3}}}]}}`,
		},
		"a field misspelt deep inside": {
			document: `{"spec":{"containers":[{"name":"x"},{"imagee":"i"}]}}`,
			want:     []Mistake{{Field: "spec.t.spec.containers[1].imagee", Message: `there is no field "imagee" here: write image, or remove it`}},
		},
		"a field in the wrong case": {
			document: `{"spec":{"nodeselector":{}}}`,
			want:     []Mistake{{Field: "spec.t.spec.nodeselector", Message: `there is no field "nodeselector" here: write nodeSelector, or remove it`}},
		},
		"a field that belongs elsewhere": {
			document: `{"spec":{"securityContext":{"capabilities":{}}}}`,
			want:     []Mistake{{Field: "spec.t.spec.securityContext.capabilities", Message: `there is no field "capabilities" here: remove it, or move it to where it belongs`}},
		},
		"two mistakes": {
			document: `{"specc":{},"metadata":{"label":{}}}`,
			want: []Mistake{
				{Field: "spec.t.specc", Message: `there is no field "specc" here: write spec, or remove it`},
				{Field: "spec.t.metadata.label", Message: `there is no field "label" here: write labels, or remove it`},
			},
		},
		"a field given twice": {
			document: `{"spec":{"hostname":"a","hostname":"b"}}`,
			want:     []Mistake{{Field: "spec.t.spec.hostname", Message: "the field is given twice: remove one of the two"}},
		},
		"a number where text is expected": {
			document: `{"spec":{"containers":[{"env":[{"name":"A","value":"x"},{"name":"B","value":1}]}]}}`,
			want:     []Mistake{{Field: "spec.t.spec.containers[0].env[1].value", Message: "value 1 is a number, but text (in quotes) is expected: correct it"}},
		},
		"text where a number is expected": {
			document: `{"spec":{"containers":[{"ports":[{"containerPort":"80"}]}]}}`,
			want:     []Mistake{{Field: "spec.t.spec.containers[0].ports[0].containerPort", Message: `value "80" is text, but a whole number (without quotes) is expected: correct it`}},
		},
		"text where a switch is expected": {
			document: `{"spec":{"hostNetwork":"yes"}}`,
			want:     []Mistake{{Field: "spec.t.spec.hostNetwork", Message: `value "yes" is text, but true or false (without quotes) is expected: correct it`}},
		},
		"a malformed quantity": {
			document: `{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"one"}}}]}}`,
			want: []Mistake{{
				Field:   "spec.t.spec.containers[0].resources.limits.nvidia.com/gpu",
				Message: `value "one" is text, but a quantity such as 500m or 2Gi is expected: correct it`,
			}},
		},
		"a group where a list is expected": {
			document: `{"spec":{"containers":{"name":"x"}}}`,
			want:     []Mistake{{Field: "spec.t.spec.containers", Message: `value {"name":"x"} is a group of fields, but a list is expected: correct it`}},
		},
		"a list where a group is expected": {
			document: `{"metadata":{"labels":[]}}`,
			want:     []Mistake{{Field: "spec.t.metadata.labels", Message: `value [] is a list, but a group of fields is expected: correct it`}},
		},
		"text where the whole is expected": {
			document: `"nothing"`,
			want:     []Mistake{{Field: "spec.t", Message: `value "nothing" is text, but a group of fields is expected: correct it`}},
		},
		"a malformed time": {
			document: `{"metadata":{"creationTimestamp":"today"}}`,
			want:     []Mistake{{Field: "spec.t.metadata.creationTimestamp", Message: `value "today" is text, but a time such as 2026-01-31T12:00:00Z is expected: correct it`}},
		},
		"a port that is neither": {
			document: `{"spec":{"containers":[{"livenessProbe":{"httpGet":{"port":true}}}]}}`,
			want: []Mistake{{
				Field:   "spec.t.spec.containers[0].livenessProbe.httpGet.port",
				Message: "value true is true or false, but a number or text is expected: correct it",
			}},
		},
		"a switch where text is expected, in a map": {
			document: `{"metadata":{"annotations":{"x":true}}}`,
			want:     []Mistake{{Field: "spec.t.metadata.annotations.x", Message: "value true is true or false, but text (in quotes) is expected: correct it"}},
		},
		"a long value is cut": {
			document: `{"spec":{"containers":"` + "0123456789012345678901234567890123456789012345678901234567890123456789" + `"}}`,
			want: []Mistake{{
				Field:   "spec.t.spec.containers",
				Message: `value "012345678901234567890123456789012345678901234567890123456789012… is text, but a list is expected: correct it`,
			}},
		},
		"no JSON": {
			document: `{"spec":`,
			want:     []Mistake{{Field: "spec.t", Message: "the document is not JSON (at byte 8): write valid YAML or JSON"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Decode([]byte(test.document), "spec.t", &corev1.PodTemplateSpec{})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("mistakes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeKeepsWhatCouldBeRead(t *testing.T) {
	t.Parallel()
	var volume corev1.Volume
	mistakes := Decode([]byte(`{"name":"scratch","emptyDirr":{}}`), "spec.driver.volumes[3]", &volume)
	want := []Mistake{{Field: "spec.driver.volumes[3].emptyDirr", Message: `there is no field "emptyDirr" here: write emptyDir, or remove it`}}
	if diff := cmp.Diff(want, mistakes); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
	}
	if volume.Name != "scratch" {
		t.Errorf("name = %q, want scratch", volume.Name)
	}
}

func TestDecodeReadsInlinedFields(t *testing.T) {
	t.Parallel()
	// hostPath belongs to a struct that Volume inlines.
	mistakes := Decode([]byte(`{"name":"x","hostPath":{"path":7}}`), "v", &corev1.Volume{})
	want := []Mistake{{Field: "v.hostPath.path", Message: "value 7 is a number, but text (in quotes) is expected: correct it"}}
	if diff := cmp.Diff(want, mistakes); diff != "" {
		t.Errorf("mistakes (-want +got):\n%s", diff)
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
