// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// UIProxyBase is the path that Spark puts before every link of its web interface. The pages themselves stay at the
	// root, so a proxy has to remove the path from requests (UIUtils.uiRoot in Spark).
	UIProxyBase = "spark.ui.proxyBase"
	// UIProxyRedirect is what Spark puts before UIProxyBase in redirects. Without it they lead to the root.
	UIProxyRedirect = "spark.ui.proxyRedirectUri"
	// EventLogEnabled makes Spark write the event log, which a history server reads.
	EventLogEnabled = "spark.eventLog.enabled"
	// EventLogDir is the folder of event logs.
	EventLogDir = "spark.eventLog.dir"
)

// RewritePattern may be at the end of an Ingress path. With the annotation nginx.ingress.kubernetes.io/rewrite-target:
// /$2 it makes ingress-nginx remove the path from requests.
const RewritePattern = "(/|$)(.*)"

// FillIn replaces {{name}} and {{namespace}} in a text of spec.ui.
func FillIn(app *v1alpha1.SparkApplication, text string) string {
	return strings.NewReplacer("{{name}}", app.Name, "{{namespace}}", app.Namespace).Replace(text)
}

// UIPath returns a path of spec.ui as browsers see it: with its placeholders replaced, without RewritePattern and
// without a slash at the end. It is empty for the root.
func UIPath(app *v1alpha1.SparkApplication, path string) string {
	return strings.TrimRight(strings.TrimSuffix(FillIn(app, path), RewritePattern), "/")
}

// IngressField and RouteField are the fields that expose the web interface, ServerIngressField and ServerRouteField
// those that expose a server.
const (
	IngressField       = "spec.ui.ingress"
	RouteField         = "spec.ui.route"
	ServerIngressField = "spec.server.ingress"
	ServerRouteField   = "spec.server.route"
)

// Exposure is one way to reach a web interface or a server from outside of the cluster.
type Exposure struct {
	// Field is the field that defines it.
	Field string
	// Host is the host name in the browser, with its placeholders replaced; empty if it is not known.
	Host string
	// Base is its path, as UIPath returns it.
	Base string
}

// Exposures returns the ways to reach the web interface from outside of the cluster. The first one is the address to
// show.
func Exposures(app *v1alpha1.SparkApplication) []Exposure {
	ui := app.Spec.UI
	if ui == nil {
		return nil
	}
	var ways []Exposure
	if in := ui.Ingress; in != nil {
		ways = append(ways, Exposure{IngressField, FillIn(app, in.Host), UIPath(app, in.Path)})
	}
	if route := ui.Route; route != nil {
		ways = append(ways, Exposure{RouteField, FillIn(app, route.Hostname), UIPath(app, route.Path)})
	}
	return ways
}

// ServerExposures returns the ways to reach a server from outside of the cluster. The first one is the address to show.
// Clients of a server send no path.
func ServerExposures(app *v1alpha1.SparkApplication) []Exposure {
	var ways []Exposure
	if server := app.Spec.Server; server != nil {
		if server.Ingress != nil {
			ways = append(ways, Exposure{Field: ServerIngressField, Host: FillIn(app, server.Ingress.Host)})
		}
		if server.Route != nil {
			ways = append(ways, Exposure{Field: ServerRouteField, Host: FillIn(app, server.Route.Hostname)})
		}
	}
	return ways
}

// addExposure sets the path under which browsers reach the web interface, so that Spark's links contain it.
func addExposure(app *v1alpha1.SparkApplication, typed Properties) {
	for _, way := range Exposures(app) {
		if way.Base != "" {
			typed.Set(UIProxyBase, way.Base, Origin{Source: TypedField, Field: way.Field + ".path"})
			return
		}
	}
}

// deriveRedirects keeps redirects below the path of the web interface, unless the user has set UIProxyRedirect.
func deriveRedirects(p Properties) {
	if _, chosen := p[UIProxyRedirect]; !chosen && p[UIProxyBase].Origin.Source == TypedField {
		p.Put(UIProxyRedirect, "/")
	}
}
