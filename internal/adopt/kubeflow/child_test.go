// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kubeflow

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const job = `{"apiVersion":"sparkoperator.k8s.io/v1beta2","kind":"SparkApplication","metadata":{"name":"pi","namespace":"a","labels":` +
	`{"team":"a","app.kubernetes.io/instance":"jobs"},"annotations":{"sparkgate.io/spec":"ANNOTATION"}},"spec":{"type":"Python","sparkVersion":"4.1.4",` +
	`"image":"spark","mainApplicationFile":"local:///pi.py","timeToLiveSeconds":5,"driver":{},"executor":{}}}`

// TestHash: the hash of a spec is that of every other version, because jobs that have ended would run again otherwise, and fields that are live
// do not count.
func TestHash(t *testing.T) {
	t.Parallel()
	const want = "20a9c9634c942ecd"
	for _, spec := range []string{
		`{"type":"Python","executor":{"instances":1}}`,
		`{"type": "Python", "suspend": true, "timeToLiveSeconds": 5, "executor": {"instances": 1}}`,
	} {
		if got := Hash([]byte(spec)); got != want {
			t.Errorf("%s has the hash %s, want %s", spec, got, want)
		}
	}
	if HashWith(want, "") != want || HashWith(want, "queue: {name: a}") == want {
		t.Error("an annotation counts, and none does not")
	}
}

// TestChild: an application for one of theirs runs again when the hash changes, belongs to its owner alone, and has the labels of theirs.
func TestChild(t *testing.T) {
	t.Parallel()
	out := Translate([]byte(strings.Replace(job, "ANNOTATION", "", 1)), "")
	if len(out.Refusals) > 0 {
		t.Fatal(out.Refusals)
	}
	app := out.Child(&metav1.OwnerReference{Name: "pi"}, "h")
	if app.Spec.RunID != "h" || app.Spec.TTLAfterFinished != nil || app.OwnerReferences[0].Name != "pi" || len(app.Annotations) > 0 {
		t.Errorf("the application is %+v", app)
	}
	if app.Labels["team"] != "a" || app.Labels["app.kubernetes.io/instance"] != "" {
		t.Errorf("its labels are %v", app.Labels)
	}
	for _, labels := range []map[string]string{app.Spec.Driver.Labels, app.Spec.Executor.Labels} {
		if labels["sparkoperator.k8s.io/app-name"] != "pi" || labels["team"] != "a" {
			t.Errorf("the labels of pods are %v", labels)
		}
	}
}

// TestAnnotation: what the annotations of the object and of its namespace make of the spec.
func TestAnnotation(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		object, namespace string
		refused           string // empty: accepted
		want              func(*v1alpha1.SparkApplicationSpec) bool
	}{
		"a queue": {`queue: {name: a}`, "", "", func(s *v1alpha1.SparkApplicationSpec) bool { return s.Queue.Name == "a" }},
		"the object wins": {`queue: {name: a}`, `queue: {name: b, priorityClassName: c}`, "", func(s *v1alpha1.SparkApplicationSpec) bool {
			return s.Queue.Name == "a" && s.Queue.PriorityClassName == "c"
		}},
		"a version":            {`sparkVersion: 4.0.2`, "", "", func(s *v1alpha1.SparkApplicationSpec) bool { return s.SparkVersion == "4.0.2" }},
		"a default of theirs":  {`podSecurity: Restricted`, "", "", func(s *v1alpha1.SparkApplicationSpec) bool { return s.PodSecurity == "Restricted" }},
		"one is taken back":    {`podSecurity: null`, "", "", func(s *v1alpha1.SparkApplicationSpec) bool { return s.PodSecurity == "" }},
		"for other specs":      {`dynamicAllocation: {maxExecutors: 3}`, "", "", func(s *v1alpha1.SparkApplicationSpec) bool { return s.DynamicAllocation == nil }},
		"another field":        {`image: a`, "", "metadata.annotations[sparkgate.io/spec].image", nil},
		"of the namespace":     {"", `image: a`, "sparkgate.io/spec of the namespace.image", nil},
		"a field within one":   {`dynamicAllocation: {enabled: true}`, "", "metadata.annotations[sparkgate.io/spec].dynamicAllocation", nil},
		"an unknown one":       {`queue: {nam: a}`, "", "metadata.annotations[sparkgate.io/spec].queue.nam", nil},
		"no driver to read":    {`retention: {duration: 1s}`, "", "metadata.annotations[sparkgate.io/spec].retention", nil},
		"something else":       {`queue`, "", "metadata.annotations[sparkgate.io/spec]", nil},
		"a version without it": {`sparkVersion: "4"`, "", "sparkVersion", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := Translate([]byte(strings.Replace(job, "ANNOTATION", strings.ReplaceAll(tc.object, `"`, `\"`), 1)), tc.namespace)
			switch {
			case tc.refused == "" && len(out.Refusals) > 0, tc.refused != "" && (len(out.Refusals) == 0 || !strings.HasSuffix(out.Refusals[0].Field, tc.refused)):
				t.Errorf("refused: %v, want %s", out.Refusals, tc.refused)
			case tc.want != nil && !tc.want(&out.Object.(*v1alpha1.SparkApplication).Spec):
				t.Errorf("the spec is %+v", out.Object)
			}
		})
	}
}
