// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"cmp"

	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// httpRoute is a HTTPRoute of the Gateway API as far as it is used here (gateway.networking.k8s.io/v1, HTTPRouteSpec).
type httpRoute struct {
	Metadata any           `json:"metadata"`
	Spec     httpRouteSpec `json:"spec"`
}

type httpRouteSpec struct {
	ParentRefs []parentRef `json:"parentRefs"`
	Hostnames  []string    `json:"hostnames,omitempty"`
	Rules      []routeRule `json:"rules"`
}

type parentRef struct {
	Name        string `json:"name"`
	Namespace   string `json:"namespace,omitempty"`
	SectionName string `json:"sectionName,omitempty"`
}

type routeRule struct {
	Matches     []routeMatch   `json:"matches"`
	Filters     []routeFilter  `json:"filters,omitempty"`
	BackendRefs []routeBackend `json:"backendRefs"`
}

type routeMatch struct {
	Path pathMatch `json:"path"`
}

type pathMatch struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type routeFilter struct {
	Type       string     `json:"type"`
	URLRewrite urlRewrite `json:"urlRewrite"`
}

type urlRewrite struct {
	Path pathRewrite `json:"path"`
}

type pathRewrite struct {
	Type               string `json:"type"`
	ReplacePrefixMatch string `json:"replacePrefixMatch"`
}

type routeBackend struct {
	Name string `json:"name"`
	Port int64  `json:"port"`
}

// route leads to the web interface of the attempt, and takes the path away before Spark sees it.
func (b build) route() any {
	if !b.exposed() || b.App.Spec.UI.Route == nil || b.Withheld[conf.RouteField] {
		return nil
	}
	from, base := b.App.Spec.UI.Route, conf.UIPath(b.App, b.App.Spec.UI.Route.Path)
	meta := b.meta(b.names.UI())
	route := &httpRoute{Metadata: &meta}
	for _, parent := range from.ParentRefs {
		route.Spec.ParentRefs = append(route.Spec.ParentRefs, parentRef(parent))
	}
	if from.Hostname != "" {
		route.Spec.Hostnames = []string{conf.FillIn(b.App, from.Hostname)}
	}
	rule := routeRule{
		Matches:     []routeMatch{{Path: pathMatch{"PathPrefix", cmp.Or(base, "/")}}},
		BackendRefs: []routeBackend{{b.names.Service, int64(b.UIPort)}},
	}
	if base != "" {
		rule.Filters = []routeFilter{{"URLRewrite", urlRewrite{pathRewrite{"ReplacePrefixMatch", "/"}}}}
	}
	route.Spec.Rules = []routeRule{rule}
	return route
}
