// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package chart

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// chartWith returns the objects of the chart with values by kind, namespace and name.
func chartWith(t *testing.T, values string) map[string]map[string]any {
	t.Helper()
	file := write(t, "values.yaml", values)
	return byName(t, must(t)(helm(t, "template", release, chartFolder(), "--api-versions", mutatingPolicies, "--values", file)))
}

// field returns what an object has at a path; nil if it has nothing there.
func field(t *testing.T, object map[string]any, path ...string) any {
	t.Helper()
	if object == nil {
		t.Fatal("the object is not rendered")
	}
	value, _, err := unstructured.NestedFieldNoCopy(object, path...)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// container is the one of a Deployment.
func container(t *testing.T, chart map[string]map[string]any, name string) map[string]any {
	t.Helper()
	all, _ := field(t, chart["Deployment "+namespace+"/"+name], "spec", "template", "spec", "containers").([]any)
	if len(all) != 1 {
		t.Fatalf("%s has %d containers", name, len(all))
	}
	return all[0].(map[string]any)
}

// TestNoKeyTwice: what the user sets takes the place of what the chart sets. Helm itself takes the last of two, and
// kustomize, which Flux has read the manifest, takes neither.
func TestNoKeyTwice(t *testing.T) {
	t.Parallel()
	values := strings.Replace(everything, "podLabels: {team: platform}", "podLabels: {team: platform, example.org/cost-center: \"43\"}", 1)
	values = strings.Replace(values, "labels: {release: prometheus}", "labels: {release: prometheus, example.org/cost-center: \"44\"}", 1)
	out := must(t)(helm(t, "template", release, chartFolder(), "--api-versions", mutatingPolicies, "--values", write(t, "values.yaml", values)))
	for _, doc := range strings.Split(out, "\n---\n") {
		if err := yaml.UnmarshalStrict([]byte(doc), &map[string]any{}); err != nil {
			t.Errorf("%v in:\n%s", err, doc)
		}
	}
	if !strings.Contains(out, `example.org/cost-center: "43"`) || !strings.Contains(out, `example.org/cost-center: "44"`) {
		t.Error("the labels of the pods or of the monitoring are those of all objects")
	}
}

// TestCommonLabels: every object has them, and every pod.
func TestCommonLabels(t *testing.T) {
	t.Parallel()
	chart := chartWith(t, everything)
	const key, want = "example.org/cost-center", "42"
	pods := 0
	for name, object := range chart {
		if got, _ := field(t, object, "metadata", "labels").(map[string]any); got[key] != want {
			t.Errorf("%s has labels %v", name, got)
		}
		if !strings.HasPrefix(name, "Deployment ") {
			continue
		}
		pods++
		if got, _ := field(t, object, "spec", "template", "metadata", "labels").(map[string]any); got[key] != want {
			t.Errorf("the pods of %s have labels %v", name, got)
		}
	}
	if pods != 2 {
		t.Errorf("%d Deployments", pods)
	}
}

// TestMetricsFrom: the labels that the user names are all that a namespace needs.
func TestMetricsFrom(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]map[string]any{
		"{}": {"metrics": "enabled"},
		"{kubernetes.io/metadata.name: monitoring}": {"kubernetes.io/metadata.name": "monitoring"},
	} {
		chart := chartWith(t, "networkPolicy: {enabled: true, apiServer: [192.0.2.1/32], metricsFrom: "+from+"}")
		ingress, _ := field(t, chart["NetworkPolicy "+namespace+"/sparkgate"], "spec", "ingress").([]any)
		peers := ingress[0].(map[string]any)["from"].([]any)
		if diff := cmp.Diff(want, field(t, peers[0].(map[string]any), "namespaceSelector", "matchLabels")); len(peers) != 1 || diff != "" {
			t.Errorf("metricsFrom %s (-want +got):\n%s", from, diff)
		}
	}
}

// TestExplainFrom: the API server of a managed control plane may reach pods by agents alone.
func TestExplainFrom(t *testing.T) {
	t.Parallel()
	const agents = "{podSelector: {matchLabels: {k8s-app: konnectivity-agent}}}"
	chart := chartWith(t, "networkPolicy: {enabled: true, explainFrom: ["+agents+"]}")
	ingress, _ := field(t, chart["NetworkPolicy "+namespace+"/sparkgate-explain"], "spec", "ingress").([]any)
	if peers := fmt.Sprint(ingress[0].(map[string]any)["from"]); peers != "[map[podSelector:map[matchLabels:map[k8s-app:konnectivity-agent]]]]" {
		t.Errorf("explanations are for %s", peers)
	}
}

// TestUserOfTheCluster: without a user the containers have that of their image, or the one that the cluster assigns.
func TestUserOfTheCluster(t *testing.T) {
	t.Parallel()
	for values, want := range map[string]any{"runAsUser: null": nil, "{}": int64(65532)} {
		chart := chartWith(t, "dashboard: {enabled: true}\n"+strings.Trim(values, "{}"))
		for _, name := range []string{"sparkgate", "sparkgate-dashboard"} {
			context := container(t, chart, name)["securityContext"].(map[string]any)
			user, group := fmt.Sprint(context["runAsUser"]), fmt.Sprint(context["runAsGroup"])
			if user != fmt.Sprint(want) || group != user || context["readOnlyRootFilesystem"] != true {
				t.Errorf("%s: %s has %v", values, name, context)
			}
		}
	}
}

// TestNobodyMayExplain: the way to the endpoint can be closed in a way that an upgrade does not undo.
func TestNobodyMayExplain(t *testing.T) {
	t.Parallel()
	const binding = "RoleBinding " + namespace + "/sparkgate-explain-proxy"
	if subjects := field(t, chartWith(t, "explain: {groups: []}")[binding], "subjects"); subjects != nil {
		t.Errorf("bound to %v", subjects)
	}
}

// TestSpread: the constraints count the operator's pods.
func TestSpread(t *testing.T) {
	t.Parallel()
	pod, _ := field(t, chartWith(t, everything)["Deployment "+namespace+"/sparkgate"], "spec", "template").(map[string]any)
	want := []any{map[string]any{
		"labelSelector": map[string]any{"matchLabels": map[string]any{"app.kubernetes.io/name": "sparkgate"}},
		"maxSkew":       int64(1), "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
	}}
	if got := field(t, pod, "spec", "topologySpreadConstraints"); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
