// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"cmp"

	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
)

// parentsOf returns the references to Gateways.
func parentsOf(from []v1alpha1.RouteParent) []gatewayv1.ParentReference {
	var refs []gatewayv1.ParentReference
	for _, parent := range from {
		ref := gatewayv1.ParentReference{Name: gatewayv1.ObjectName(parent.Name)}
		if parent.Namespace != "" {
			ref.Namespace = ptr.To(gatewayv1.Namespace(parent.Namespace))
		}
		if parent.SectionName != "" {
			ref.SectionName = ptr.To(gatewayv1.SectionName(parent.SectionName))
		}
		refs = append(refs, ref)
	}
	return refs
}

// httpRoute is an HTTPRoute without its status, which the operator must not apply.
type httpRoute struct {
	Metadata any                     `json:"metadata"`
	Spec     gatewayv1.HTTPRouteSpec `json:"spec"`
}

// route returns the HTTPRoute for the web interface of the attempt, nil if there is none. It removes the path from
// requests before Spark sees them.
func (b build) route() any {
	if !b.exposed() || b.App.Spec.UI.Route == nil || b.Withheld[conf.RouteField] {
		return nil
	}
	from, base := b.App.Spec.UI.Route, conf.UIPath(b.App, b.App.Spec.UI.Route.Path)
	meta := b.meta(b.names.UI())
	route := &httpRoute{Metadata: &meta}
	route.Spec.ParentRefs = parentsOf(from.ParentRefs)
	if from.Hostname != "" {
		route.Spec.Hostnames = []gatewayv1.Hostname{gatewayv1.Hostname(conf.FillIn(b.App, from.Hostname))}
	}
	rule := gatewayv1.HTTPRouteRule{
		Matches: []gatewayv1.HTTPRouteMatch{{Path: &gatewayv1.HTTPPathMatch{
			Type: ptr.To(gatewayv1.PathMatchPathPrefix), Value: ptr.To(cmp.Or(base, "/")),
		}}},
		BackendRefs: []gatewayv1.HTTPBackendRef{{BackendRef: gatewayv1.BackendRef{BackendObjectReference: gatewayv1.BackendObjectReference{
			Name: gatewayv1.ObjectName(b.names.Service), Port: ptr.To(gatewayv1.PortNumber(b.UIPort)),
		}}}},
	}
	if base != "" {
		rule.Filters = []gatewayv1.HTTPRouteFilter{{
			Type: gatewayv1.HTTPRouteFilterURLRewrite,
			URLRewrite: &gatewayv1.HTTPURLRewriteFilter{Path: &gatewayv1.HTTPPathModifier{
				Type: gatewayv1.PrefixMatchHTTPPathModifier, ReplacePrefixMatch: ptr.To("/"),
			}},
		}}
	}
	route.Spec.Rules = []gatewayv1.HTTPRouteRule{rule}
	return route
}
