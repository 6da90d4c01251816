// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package conf

import (
	"strings"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

const (
	// UIProxyBase is what Spark puts before every link of its web interface. Pages themselves stay at the root: a proxy
	// that forwards a request has to strip the path (UIUtils.uiRoot in Spark).
	UIProxyBase = "spark.ui.proxyBase"
	// UIProxyRedirect is what Spark puts before UIProxyBase in redirects, which go to the root without it.
	UIProxyRedirect = "spark.ui.proxyRedirectUri"
	// EventLogEnabled makes Spark write the log that a history server reads.
	EventLogEnabled = "spark.eventLog.enabled"
)

// RewritePattern may end the path of an Ingress. It is how ingress-nginx takes a path away, together with the
// annotation nginx.ingress.kubernetes.io/rewrite-target: /$2.
const RewritePattern = "(/|$)(.*)"

// FillIn replaces {{name}} and {{namespace}} in a text of spec.ui.
func FillIn(app *v1alpha1.SparkApplication, text string) string {
	return strings.NewReplacer("{{name}}", app.Name, "{{namespace}}", app.Namespace).Replace(text)
}

// UIPath returns a path of spec.ui as a browser sees it: filled in, without RewritePattern and without a slash at its
// end; empty for the root.
func UIPath(app *v1alpha1.SparkApplication, path string) string {
	return strings.TrimRight(strings.TrimSuffix(FillIn(app, path), RewritePattern), "/")
}

// IngressField and RouteField are the fields of ways to the web interface.
const (
	IngressField = "spec.ui.ingress"
	RouteField   = "spec.ui.route"
)

// Exposure is one way from outside to the web interface.
type Exposure struct {
	// Field that describes it.
	Field string
	// Host by which browsers know it, filled in; empty if that is not known.
	Host string
	// Base is its UIPath.
	Base string
}

// Exposures returns the ways from outside to the web interface, the one to print first.
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

// addExposure adds what Spark has to know of a path under which its web interface is reached.
func addExposure(app *v1alpha1.SparkApplication, typed Properties) {
	for _, way := range Exposures(app) {
		if way.Base != "" {
			typed.Set(UIProxyBase, way.Base, Origin{Source: TypedField, Field: way.Field + ".path"})
			return
		}
	}
}

// deriveRedirects keeps redirects below the path of the web interface, unless the user has chosen where they lead.
func deriveRedirects(p Properties) {
	if _, chosen := p[UIProxyRedirect]; !chosen && p[UIProxyBase].Origin.Source == TypedField {
		p.Put(UIProxyRedirect, "/")
	}
}
