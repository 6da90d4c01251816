// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// GatewayKind is the kind to which a route is attached.
var GatewayKind = schema.GroupVersionKind{Group: RouteKind.Group, Version: RouteKind.Version, Kind: "Gateway"}

// Encrypts reports whether a Gateway serves the route of an application over TLS: with the listener that the route
// names, else with any listener for its host name.
func Encrypts(gateway *unstructured.Unstructured, app *v1alpha1.SparkApplication, parent v1alpha1.RouteParent) bool {
	listeners, _, err := unstructured.NestedSlice(gateway.Object, "spec", "listeners")
	if err != nil {
		return false
	}
	host := conf.FillIn(app, app.Spec.UI.Route.Hostname)
	for _, item := range listeners {
		listener, ok := item.(map[string]any)
		if !ok || listener["protocol"] != "HTTPS" || parent.SectionName != "" && listener["name"] != parent.SectionName {
			continue
		}
		if of, _ := listener["hostname"].(string); takes(of, host) {
			return true
		}
	}
	return false
}

// takes reports whether a listener serves a host. The listener's host name may begin with a wildcard; if it is empty,
// it serves all hosts.
func takes(listener, host string) bool {
	if end, wild := strings.CutPrefix(listener, "*"); wild {
		return strings.HasSuffix(host, end) && host != end
	}
	return listener == "" || listener == host
}
