// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// plainYAML are the characters that YAML 1.1 takes as they stand in quotes (5.1), but for the ends of lines beyond ASCII and the byte order mark.
var plainYAML = &unicode.RangeTable{
	R16: []unicode.Range16{{'\n', '\n', 1}, {0x20, 0x7e, 1}, {0xa0, 0x2027, 1}, {0x202a, 0xd7ff, 1}, {0xe000, 0xfefe, 1}, {0xff00, 0xfffd, 1}},
	R32: []unicode.Range32{{0x10000, unicode.MaxRune, 1}},
}

// TestAccountOfTheExecutorTemplate: Spark looks for the account of a template under the field's old name alone.
func TestAccountOfTheExecutorTemplate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ spec, want string }{
		"none":         {`{}`, ""},
		"the new name": {`{"serviceAccountName": "executors"}`, "executors"},
		"the old name": {`{"serviceAccount": "executors"}`, "executors"},
		"both":         {`{"serviceAccountName": "executors", "serviceAccount": "driver"}`, "executors"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := mustBuild(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.Driver.ServiceAccountName = "driver"
				spec.Executor.Template = raw(`{"spec": ` + test.spec + `}`)
			})
			var mounted corev1.Pod
			if err := json.Unmarshal([]byte(objects.ConfigMap.Data[templateKey]), &mounted); err != nil {
				t.Fatal(err)
			}
			if got := mounted.Spec.DeprecatedServiceAccount; got != test.want {
				t.Errorf("serviceAccount of the template is %q, want %q", got, test.want)
			}
		})
	}
}

// TestGracePeriodOfTheExecutorTemplate: from 4.1 on, Spark replaces it by a property, which has to say the same.
func TestGracePeriodOfTheExecutorTemplate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version, spec, property, want string
	}{
		"from 4.1 on": {"4.1.4", `{"terminationGracePeriodSeconds": 90}`, "", "90s"},
		"before 4.1":  {"4.0.5", `{"terminationGracePeriodSeconds": 90}`, "", "-"},
		"none":        {"4.1.4", `{}`, "", "-"},
		"no time":     {"4.3.0", `{"terminationGracePeriodSeconds": 0}`, "", "0s"},
		"by property": {"4.1.4", `{"terminationGracePeriodSeconds": 90}`, "90000ms", "90000ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			objects := mustBuild(t, func(spec *v1alpha1.SparkApplicationSpec) {
				spec.SparkVersion, spec.Executor.Template = test.version, raw(`{"spec": `+test.spec+`}`)
				if test.property != "" {
					spec.SparkConf = map[string]string{conf.ExecutorGracePeriod: test.property}
				}
			})
			properties := conf.Parse(objects.ConfigMap.Data[propertiesFile])
			if got, ok := properties[conf.ExecutorGracePeriod]; ok != (test.want != "-") || ok && got != test.want {
				t.Errorf("%s = %q, want %q", conf.ExecutorGracePeriod, got, test.want)
			}
		})
	}
}

// TestTemplateIsYAML: what executors start from is read by a reader of YAML 1.1, which takes fewer characters than JSON, and takes three of them
// for the end of a line. Nothing of it is lost.
func TestTemplateIsYAML(t *testing.T) {
	t.Parallel()
	var every strings.Builder
	for r := rune(1); r < 0x3000; r++ {
		every.WriteRune(r)
	}
	every.WriteString("\ufeff\ufffd\ufffe\uffff\ud7ff\ue000😀\U0010ffff: # - \"'\\u0041")
	pod := &corev1.Pod{}
	pod.Annotations = map[string]string{"a": every.String(), "b": ": - #\n--- |\n"}
	pod.Spec.Containers = []corev1.Container{{Env: []corev1.EnvVar{{Name: "A", Value: every.String()}}}}
	text, err := encode(pod)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range text {
		if !unicode.Is(plainYAML, r) {
			t.Errorf("the template has the character %U", r)
		}
	}
	var again corev1.Pod
	if err := json.Unmarshal([]byte(text), &again); err != nil {
		t.Fatal(err)
	}
	if !sameJSON(t, again, *pod) {
		t.Error("the template is read back as something else")
	}
}
