// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package companions

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

var grpcRoute = schema.GroupVersionKind{Group: "gateway.networking.k8s.io", Version: "v1", Kind: "GRPCRoute"}

// TestServerIsReachable: a server is closed to other namespaces until its spec names them, a route that is added while it runs gives its Service
// an address that stays, and the route comes once the Gateway API is there. None of it restarts the server.
func TestServerIsReachable(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("notebooks", func(a *v1alpha1.SparkApplication) {
		a.Spec.MainApplicationFile, a.Spec.Arguments, a.Spec.Server = "", nil, &v1alpha1.Server{Type: v1alpha1.ConnectServer}
	})
	driver := w.Run(app)
	policy := &networkingv1.NetworkPolicy{}
	awaitOwn(t, app, policy, func() bool { return len(policy.Spec.Ingress[0].From) == 1 })
	service := &corev1.Service{}
	awaitOwn(t, app, service, func() bool { return service.Spec.ClusterIP == corev1.ClusterIPNone })

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.Server.AllowedNamespaces = []string{"gateways"}
		a.Spec.Server.Route = &v1alpha1.ServerRoute{Hostname: "{{name}}.{{namespace}}.example.org", ParentRefs: []v1alpha1.RouteParent{{Name: "public", Namespace: "gateways"}}}
	})
	warned(t, app, "GatewayAPINotInstalled", "spec.server.route", "grpcroutes.gateway.networking.k8s.io")
	awaitOwn(t, app, policy, func() bool {
		return len(policy.Spec.Ingress[0].From) == 2 && policy.Spec.Ingress[0].From[1].NamespaceSelector.MatchExpressions[0].Values[0] == "gateways"
	})
	awaitOwn(t, app, service, func() bool { return service.Spec.ClusterIP != corev1.ClusterIPNone && service.Spec.ClusterIP != "" })
	selects(t, app, service.Spec.Selector, driver)
	selects(t, app, policy.Spec.PodSelector.MatchLabels, driver)

	installFile(t, gatewayCRD(t))
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Server.AllowedNamespaces = []string{"gateways", "hub"} }) // is acted on at once
	route := &unstructured.Unstructured{}
	route.SetGroupVersionKind(grpcRoute)
	awaitOwn(t, app, route, func() bool { return true })
	if hosts, _, _ := unstructured.NestedStringSlice(route.Object, "spec", "hostnames"); len(hosts) != 1 || hosts[0] != "notebooks."+w.Namespace+".example.org" {
		t.Errorf("host names: %v", hosts)
	}
	if s := app.Status; s.Run != 1 || s.Attempt != 1 {
		t.Errorf("the server was restarted: run %d, attempt %d", s.Run, s.Attempt)
	}

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(app, "Suspended")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.Server.AllowedNamespaces, a.Spec.Server.Route = []string{v1alpha1.AnyNamespace}, nil
	})
	for _, object := range []client.Object{route, policy} {
		env.UntilSeen(t, "it is gone", func() (bool, error) {
			err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), object)
			return apierrors.IsNotFound(err), err
		})
	}
}

// awaitOwn waits until the application's companion of its own name is as wanted.
func awaitOwn(t *testing.T, app *v1alpha1.SparkApplication, object client.Object, wanted func() bool) {
	t.Helper()
	env.UntilSeen(t, app.Name+" has a companion as wanted", func() (bool, any) {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), object); err != nil {
			return false, err
		}
		return wanted(), object
	})
	owned(t, app, object)
}

// gatewayCRD returns the file with the real definition of GRPCRoute, from the module of the Gateway API.
func gatewayCRD(t *testing.T) string {
	t.Helper()
	folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(folder)), "config/crd/standard/gateway.networking.k8s.io_grpcroutes.yaml")
}
