// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// value is what kube-state-metrics reads: a gauge its number, and both their labels, below the path.
type value struct {
	Path           []string
	ValueFrom      []string
	LabelsFromPath map[string][]string
	NilIsZero      bool
}

// stateMetric is a metric of the configuration of kube-state-metrics.
type stateMetric struct {
	Name, Help     string
	LabelsFromPath map[string][]string
	Each           struct {
		Type        string
		Info, Gauge *value
	}
}

// stateResource is a kind of the configuration of kube-state-metrics.
type stateResource struct {
	GroupVersionKind struct{ Group, Version, Kind string }
	MetricNamePrefix string
	ErrorLogV        int
	LabelsFromPath   map[string][]string
	Metrics          []stateMetric
}

func stateResources(t *testing.T) []stateResource {
	t.Helper()
	data, err := os.ReadFile("monitoring/kube_state_metrics.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Kind string
		Spec struct{ Resources []stateResource }
	}
	if err := yaml.UnmarshalStrict(data, &config); err != nil {
		t.Fatal(err)
	}
	return config.Spec.Resources
}

// fieldAt returns the type of a field: the schema's, or time for a text that is one. Of a list it is that of its items. Empty: there is none.
func fieldAt(s apiextensionsv1.JSONSchemaProps, path []string) string {
	if len(path) > 0 && path[0] == "metadata" {
		return map[string]string{"metadata": "object", "namespace": "string", "name": "string", "uid": "string"}[path[len(path)-1]]
	}
	for _, part := range path {
		if s.Items != nil {
			s = *s.Items.Schema
		}
		next, has := s.Properties[part]
		if !has {
			return ""
		}
		s = next
	}
	if last := path[len(path)-1]; s.Format == "date-time" || last == "time" || strings.HasSuffix(last, "Time") {
		return "time"
	}
	return s.Type
}

// goSchema returns the fields of a type of the API and their types: those of open parts of a status are in no schema.
func goSchema(kind reflect.Type) (s apiextensionsv1.JSONSchemaProps) {
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	switch {
	case kind == reflect.TypeFor[metav1.Time]():
		s.Type, s.Format = "string", "date-time"
	case kind.Kind() == reflect.String:
		s.Type = "string"
	case kind.Kind() == reflect.Int32, kind.Kind() == reflect.Int64:
		s.Type = "integer"
	case kind.Kind() == reflect.Bool:
		s.Type = "boolean"
	case kind.Kind() == reflect.Struct && kind.PkgPath() == reflect.TypeFor[v1alpha1.Grant]().PkgPath():
		s.Type, s.Properties = "object", map[string]apiextensionsv1.JSONSchemaProps{}
		for _, field := range reflect.VisibleFields(kind) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" { // else its own fields stand in its place
				s.Properties[name] = goSchema(field.Type)
			}
		}
	}
	return s
}

// TestKubeStateMetricsKnowsFields: its configuration has all of our kinds, and names fields that they have. What a gauge reads is a number, a
// boolean, a time, or the status of a condition; what is a label is a text. docs/operating.md has every metric.
func TestKubeStateMetricsKnowsFields(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	schemas := map[string]apiextensionsv1.JSONSchemaProps{}
	for _, crd := range documents[apiextensionsv1.CustomResourceDefinition](t, "crd/bases/*.yaml") {
		schemas[crd.Spec.Group+"/"+crd.Spec.Versions[0].Name+"/"+crd.Spec.Names.Kind] = *crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	}
	status := schemas["sparkgate.io/v1alpha1/SparkApplication"].Properties["status"].Properties
	for name, typed := range goSchema(reflect.TypeFor[v1alpha1.SparkApplicationStatus]()).Properties {
		if open := status[name].XPreserveUnknownFields; open != nil && *open {
			status[name] = typed
		}
	}
	for _, r := range stateResources(t) {
		gvk := r.GroupVersionKind.Group + "/" + r.GroupVersionKind.Version + "/" + r.GroupVersionKind.Kind
		schema, known := schemas[gvk]
		if !known || r.MetricNamePrefix != "kube_"+strings.ToLower(r.GroupVersionKind.Kind) {
			t.Errorf("there is no kind %s, or its metrics begin with %s", gvk, r.MetricNamePrefix)
		}
		delete(schemas, gvk)
		for _, m := range r.Metrics {
			checkStateMetric(t, r, m, schema)
			if name := r.MetricNamePrefix + "_" + m.Name; m.Help == "" || !regexp.MustCompile("`("+name+"|_"+m.Name+")`").Match(page) {
				t.Errorf("%s is not explained", name)
			}
		}
	}
	for gvk := range schemas {
		t.Errorf("nothing is told of %s", gvk)
	}
}

func checkStateMetric(t *testing.T, r stateResource, m stateMetric, schema apiextensionsv1.JSONSchemaProps) {
	t.Helper()
	below := func(path []string, v *value) []string { return slices.Concat(v.Path, path) }
	label := func(name string, path []string) {
		t.Helper()
		if fieldAt(schema, path) != "string" {
			t.Errorf("%s_%s: label %s is %s, which is no text", r.MetricNamePrefix, m.Name, name, strings.Join(path, "."))
		}
	}
	v := m.Each.Gauge
	if m.Each.Type == "Info" {
		v = m.Each.Info
	}
	if v == nil {
		t.Fatalf("%s_%s has no value of type %s", r.MetricNamePrefix, m.Name, m.Each.Type)
	}
	for _, labels := range []map[string][]string{r.LabelsFromPath, m.LabelsFromPath} {
		for name, path := range labels {
			label(name, path)
		}
	}
	for name, path := range v.LabelsFromPath {
		label(name, below(path, v))
	}
	number := slices.Contains([]string{"integer", "number", "boolean", "time"}, fieldAt(schema, below(v.ValueFrom, v)))
	condition := slices.Equal(v.Path, []string{"status", "conditions"}) && slices.Equal(v.ValueFrom, []string{"status"})
	if m.Each.Type == "Gauge" && !number && !condition {
		t.Errorf("%s_%s: %s is no number", r.MetricNamePrefix, m.Name, strings.Join(v.Path, "."))
	}
}

// TestKubeStateMetricsMayWatch what its configuration names, and find the kinds.
func TestKubeStateMetricsMayWatch(t *testing.T) {
	t.Parallel()
	rules := rulesOf(t, "monitoring/kube_state_metrics_role.yaml", "sparkgate-kube-state-metrics")
	of := map[string]string{"customresourcedefinitions": "apiextensions.k8s.io"}
	for _, r := range stateResources(t) {
		of[strings.ToLower(r.GroupVersionKind.Kind)+"s"] = r.GroupVersionKind.Group
	}
	for resource, group := range of {
		if verbs := verbsOn(rules, group, resource); !slices.Contains(verbs, "list") || !slices.Contains(verbs, "watch") || len(verbs) != 2 {
			t.Errorf("it may %v %s; want list and watch", verbs, resource)
		}
	}
}
