// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"cmp"
	"strconv"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/render"
)

// ingress returns the Ingress for the web interface of the attempt, nil if there is none. A path with
// conf.RewritePattern is for a controller that takes it as a regular expression; any other path is a prefix.
func (b build) ingress() any {
	if !b.exposed() || b.App.Spec.UI.Ingress == nil || b.Withheld[conf.IngressField] {
		return nil
	}
	from := b.App.Spec.UI.Ingress
	path, kind := cmp.Or(conf.UIPath(b.App, from.Path), "/"), networkingv1.PathTypePrefix
	if strings.HasSuffix(from.Path, conf.RewritePattern) {
		path, kind = conf.UIPath(b.App, from.Path)+conf.RewritePattern, networkingv1.PathTypeImplementationSpecific
	}
	ingress := b.ingressTo(b.names.UI(), v1alpha1.ServerIngress{
		ClassName: from.ClassName, Host: from.Host, Annotations: from.Annotations, TLSSecretName: from.TLSSecretName,
	}, networkingv1.IngressServiceBackend{Name: b.names.Service, Port: networkingv1.ServiceBackendPort{Name: render.UIPortName}})
	way := &ingress.Spec.Rules[0].HTTP.Paths[0]
	way.Path, way.PathType = path, &kind
	return ingress
}

// ingressTo returns an Ingress for everything on a host.
func (b build) ingressTo(name string, from v1alpha1.ServerIngress, backend networkingv1.IngressServiceBackend) *networkingv1.Ingress {
	host := conf.FillIn(b.App, from.Host)
	ingress := &networkingv1.Ingress{ObjectMeta: b.meta(name)}
	ingress.Annotations = b.filled(from.Annotations)
	ingress.Spec.Rules = []networkingv1.IngressRule{{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{
		HTTP: &networkingv1.HTTPIngressRuleValue{Paths: []networkingv1.HTTPIngressPath{{
			Path: "/", PathType: ptr.To(networkingv1.PathTypePrefix), Backend: networkingv1.IngressBackend{Service: &backend},
		}}},
	}}}
	if from.ClassName != "" {
		ingress.Spec.IngressClassName = ptr.To(conf.FillIn(b.App, from.ClassName))
	}
	if from.TLSSecretName != "" {
		ingress.Spec.TLS = []networkingv1.IngressTLS{{Hosts: []string{host}, SecretName: conf.FillIn(b.App, from.TLSSecretName)}}
	}
	return ingress
}

// Address returns the URL of the web interface: the external one of the first companion that was created and whose host
// is known, else the one inside the cluster. It is empty if there is no web interface. made has the kinds of the
// companions that were created.
func Address(in Input, made map[string]bool) string {
	if in.UIPort == 0 {
		return ""
	}
	for _, way := range conf.Exposures(in.App) {
		scheme, kind, tls := "http://", RouteKind.Kind, in.RouteTLS
		if way.Field == conf.IngressField {
			kind, tls = IngressKind.Kind, in.App.Spec.UI.Ingress.TLSSecretName != ""
		}
		if tls {
			scheme = "https://"
		}
		if made[kind] && way.Host != "" {
			return scheme + way.Host + way.Base
		}
	}
	return "http://" + render.NamesOf(in.App, in.Run, in.Attempt).Service + "." + in.App.Namespace + ".svc:" + strconv.Itoa(int(in.UIPort))
}
