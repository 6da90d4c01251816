// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

type netIngress = networkingv1.Ingress

func inNamespace(w *harness.World) client.ListOption { return client.InNamespace(w.Namespace) }

// TestForeignService: another client's Service has the name of the application. It is reported, never touched, and does not hinder the run; when
// it is gone, the application's own takes its place.
func TestForeignService(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	foreign := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "pi"}, Spec: corev1.ServiceSpec{ClusterIP: "None"}}
	harness.Create(t, foreign)
	app := w.Apply("pi", everything)
	driver := w.Run(app)
	warned(t, app, "CompanionCreateFailed", "Service "+w.Namespace+"/pi", "belongs to another owner", "delete it")
	eventually(t, app, "the others", func(s set) bool { return s.budget != nil && s.ingress != nil })
	seen := foreign.DeepCopy()
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(foreign), seen); err != nil || seen.ResourceVersion != foreign.ResourceVersion {
		t.Errorf("the Service of somebody else was changed: %v\n%+v", err, seen)
	}
	if err := env.Client().Delete(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	s := eventually(t, app, "the Service", complete)
	owned(t, app, s.service)
	if told := warnings(t, app)["CompanionCreateFailed"]; len(told) != 1 {
		t.Errorf("told more than once: %q", told)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	eventually(t, app, "no companion", none)
}

// TestForeignServiceAtTheEnd: what belongs to another owner stays when the run ends.
func TestForeignServiceAtTheEnd(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	foreign := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "pi"}, Spec: corev1.ServiceSpec{ClusterIP: "None"}}
	harness.Create(t, foreign)
	app := w.Apply("pi", everything)
	w.Succeed(app)
	eventually(t, app, "no companion", none)
	seen := foreign.DeepCopy()
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(foreign), seen); err != nil || seen.UID != foreign.UID || seen.ResourceVersion != foreign.ResourceVersion {
		t.Errorf("the Service of somebody else was touched: %v\n%+v", err, seen)
	}
}

var httpRoute = schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "HTTPRoute"}

// TestGatewayAPIComesLate: without the kind HTTPRoute the application runs, and an event says what to install; once it is there, the route
// is created without intervention.
func TestGatewayAPIComesLate(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", func(a *v1alpha1.SparkApplication) {
		a.Spec.UI = &v1alpha1.UserInterface{Route: &v1alpha1.UIRoute{
			ParentRefs: []v1alpha1.RouteParent{{Name: "public", Namespace: "gateways"}}, Hostname: "spark.example.org", Path: "/{{namespace}}/{{name}}",
		}}
	})
	driver := w.Run(app)
	warned(t, app, "GatewayAPINotInstalled", "spec.ui.route", "httproutes.gateway.networking.k8s.io")
	address(t, app, inside)
	install(t, "httproutes.yaml")
	route := &unstructured.Unstructured{}
	awaitRoutes(t, w, 1, route)
	rules, _, _ := unstructured.NestedSlice(route.Object, "spec", "rules")
	backend, _, _ := unstructured.NestedSlice(rules[0].(map[string]any), "backendRefs")
	if ui := read(t, app).ui; backend[0].(map[string]any)["name"] != ui.Name || backend[0].(map[string]any)["port"] != int64(4040) {
		t.Errorf("the route leads to %v, want to %s", backend, ui.Name)
	}
	owned(t, app, route)
	address(t, app, func(at string) bool { return at == "http://spark.example.org/"+w.Namespace+"/pi" })

	install(t, "gateways.yaml")
	createOnceInstalled(t, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
		"metadata": map[string]any{"name": "public", "namespace": w.Namespace},
		"spec":     map[string]any{"listeners": []any{map[string]any{"name": "https", "protocol": "HTTPS", "hostname": "*.example.org"}}},
	}})
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.UI.Route.Hostname, a.Spec.UI.Route.ParentRefs = "other.{{namespace}}.example.org", []v1alpha1.RouteParent{{Name: "public"}}
	})
	address(t, app, func(at string) bool { return at == "https://other."+w.Namespace+".example.org/"+w.Namespace+"/pi" })
	awaitRoutes(t, w, 1, route)
	if hosts, _, _ := unstructured.NestedStringSlice(route.Object, "spec", "hostnames"); len(hosts) != 1 || hosts[0] != "other."+w.Namespace+".example.org" {
		t.Errorf("host names: %v", hosts)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	awaitRoutes(t, w, 0, nil)
}

// install makes the kind of a file of testdata known to the API server until the test ends.
func install(t *testing.T, file string) {
	t.Helper()
	installFile(t, filepath.Join("testdata", file))
}

func installFile(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		t.Fatal(err)
	}
	harness.Create(t, crd)
	t.Cleanup(func() { _ = env.Client().Delete(context.Background(), crd) })
}

// createOnceInstalled creates an object of a kind that is being installed.
func createOnceInstalled(t *testing.T, obj *unstructured.Unstructured) {
	t.Helper()
	env.UntilSeen(t, obj.GetName()+" is created", func() (bool, error) {
		err := env.Client().Create(t.Context(), obj.DeepCopy())
		return err == nil, err
	})
}

// awaitRoutes waits until there are that many routes and returns the first.
func awaitRoutes(t *testing.T, w *harness.World, many int, first *unstructured.Unstructured) {
	t.Helper()
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(httpRoute.GroupVersion().WithKind("HTTPRouteList"))
	env.UntilSeen(t, fmt.Sprintf("there are %d routes", many), func() (bool, any) {
		if err := env.Client().List(t.Context(), list, inNamespace(w)); err != nil {
			return false, err // the kind is being installed
		}
		return len(list.Items) == many, list.Items
	})
	if many > 0 {
		list.Items[0].DeepCopyInto(first)
	}
}
