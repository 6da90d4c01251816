// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package sparkctl

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRenderAgreesWithTheOperator: what render prints for an application is what the operator has created for it: each
// object, with all that render says of it, but for the time of the submission.
func TestRenderAgreesWithTheOperator(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me := as(t, admin(), w.Namespace)
	for name, change := range map[string]func(*v1alpha1.SparkApplicationSpec){
		"plain": func(*v1alpha1.SparkApplicationSpec) {},
		"dynamic": func(s *v1alpha1.SparkApplicationSpec) {
			s.DynamicAllocation = &v1alpha1.DynamicAllocation{Enabled: true, MaxExecutors: ptr.To[int32](4)}
		},
		"newest": func(s *v1alpha1.SparkApplicationSpec) { s.SparkVersion = "4.3.0" },
		"files": func(s *v1alpha1.SparkApplicationSpec) {
			s.ConfigMaps = []v1alpha1.InlineConfigMap{{Name: "etc", MountPath: "/etc/job", Data: map[string]string{"a.conf": "x=1\r\ny = 2\n"}}}
			s.SparkConf = map[string]string{"spark.odd": " \t=:#!\\ü\"", "spark.hadoop.x": "", "spark.sql.shuffle.partitions": "0400"}
			s.Arguments = []string{"", "a b", "$$(X)", "\"", "ü"}
		},
		"roles": func(s *v1alpha1.SparkApplicationSpec) {
			s.Driver.Labels, s.Driver.Annotations = map[string]string{"team": "a"}, map[string]string{"a/b": "c d"}
			s.Driver.Env = []v1alpha1.EnvVar{{Name: "A", Value: "x $(B)"}}
			s.Executor.NodeSelector = map[string]string{"disk": "ssd"}
			s.Executor.Template = &runtime.RawExtension{Raw: []byte(`{"metadata":{"labels":{"x":"y"}},"spec":{"terminationGracePeriodSeconds":7}}`)}
			s.DriverService = &v1alpha1.DriverService{Ports: []v1alpha1.DriverServicePort{{Name: "connect", Port: 15002}}}
			s.PodDisruptionBudget = v1alpha1.DisruptionDriver
			s.PodSecurity = v1alpha1.PodSecurityNone
		},
	} {
		t.Run(name, func(t *testing.T) {
			app := w.Apply(name, func(a *v1alpha1.SparkApplication) { change(&a.Spec) })
			w.Driver(app)
			asCreated := &v1alpha1.SparkApplication{
				ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace, UID: app.UID, Labels: app.Labels}, Spec: app.Spec,
			}
			rendered := documents(t, me.sees([]string{"render", "-f", manifest(t, asCreated)}))
			if len(rendered) < 3 {
				t.Fatalf("rendered: %v", rendered)
			}
			for _, want := range rendered {
				got := &unstructured.Unstructured{}
				got.SetGroupVersionKind(want.GroupVersionKind())
				harness.EventuallyWith(t, env.Client(), named(got, want), "created", func(client.Object) bool { return true })
				withoutTime(want)
				withoutTime(got)
				for _, part := range slices.Sorted(maps.Keys(want.Object)) {
					if diff := missing(want.Object[part], got.Object[part]); part != "apiVersion" && part != "kind" && diff != "" {
						t.Errorf("%s %s: %s (-rendered +created):\n%s", want.GetKind(), want.GetName(), part, diff)
					}
				}
			}
		})
	}
}

// documents returns the objects of a file.
func documents(t *testing.T, text string) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for document := range strings.SplitSeq(text, "\n---\n") {
		o := &unstructured.Unstructured{}
		inJSON, err := yaml.YAMLToJSON([]byte(document))
		if err == nil {
			err = o.UnmarshalJSON(inJSON)
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

func named(o, as *unstructured.Unstructured) client.Object {
	o.SetNamespace(as.GetNamespace())
	o.SetName(as.GetName())
	return o
}

var submitTime = regexp.MustCompile(`spark\.app\.submitTime=[0-9]+`)

// withoutTime removes the time of the submission from a ConfigMap.
func withoutTime(o *unstructured.Unstructured) {
	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	for name, text := range data {
		data[name] = submitTime.ReplaceAllString(text, "")
	}
	if data != nil {
		_ = unstructured.SetNestedStringMap(o.Object, data, "data")
	}
}

// missing returns what of a value the API server does not have. It may have more: its defaults.
func missing(want, got any) string {
	return cmp.Diff(want, common(want, got))
}

// common returns a value reduced to the fields that another one has.
func common(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		out := map[string]any{}
		for key := range w {
			if value, has := g[key]; has {
				out[key] = common(w[key], value)
			}
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			return got
		}
		out := make([]any, len(g))
		for i := range g {
			out[i] = common(w[i], g[i])
		}
		return out
	}
	return got
}
