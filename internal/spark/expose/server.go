// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package expose

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/spark/conf"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// The companions of a server have the name of the application, as its Service has, and exist as long as that.

// serverPolicy returns the NetworkPolicy of a server, nil if there is none: clients in its own namespace and in the
// allowed ones reach its port. Other ports stay as open as they are. A policy that selects a pod closes all ports that it
// does not name, so it names those around the server's.
func (b build) serverPolicy() any {
	kind, serves := server.KindOf(&b.App.Spec)
	if !serves || !b.Started || slices.Contains(b.App.Spec.Server.AllowedNamespaces, v1alpha1.AnyNamespace) {
		return nil
	}
	const last = 65535
	from := []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	if allowed := b.App.Spec.Server.AllowedNamespaces; len(allowed) > 0 {
		from = append(from, networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: allowed,
		}}}})
	}
	if server.IsMaster(&b.App.Spec) {
		return b.clusterPolicy(from)
	}
	labels := b.driverLabels()
	delete(labels, v1alpha1.RunLabel)
	delete(labels, v1alpha1.AttemptLabel) // the next driver is closed before it exists
	return &networkingv1.NetworkPolicy{ObjectMeta: b.meta(b.App.Name), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: labels},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress: []networkingv1.NetworkPolicyIngressRule{
			{From: from, Ports: []networkingv1.NetworkPolicyPort{portsOf(kind.Port, kind.Port)}},
			{Ports: []networkingv1.NetworkPolicyPort{portsOf(1, kind.Port-1), portsOf(kind.Port+1, last)}},
		},
	}}
}

// clusterPolicy returns the NetworkPolicy of a cluster: whoever reaches one of its ports runs programs in it, except for
// the web interface of the master, whose buttons are off.
func (b build) clusterPolicy(from []networkingv1.NetworkPolicyPeer) any {
	open := networkingv1.NetworkPolicyIngressRule{Ports: []networkingv1.NetworkPolicyPort{portsOf(b.UIPort, b.UIPort)}}
	policy := &networkingv1.NetworkPolicy{ObjectMeta: b.meta(b.App.Name), Spec: networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{v1alpha1.ApplicationUIDLabel: string(b.App.UID)}},
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress},
		Ingress:     []networkingv1.NetworkPolicyIngressRule{{From: from}},
	}}
	if b.UIPort > 0 {
		policy.Spec.Ingress = append(policy.Spec.Ingress, open)
	}
	return policy
}

// portsOf returns a range of ports.
func portsOf(first, last int32) networkingv1.NetworkPolicyPort {
	out := networkingv1.NetworkPolicyPort{Protocol: ptr.To(corev1.ProtocolTCP), Port: ptr.To(intstr.FromInt32(first))}
	if last > first {
		out.EndPort = ptr.To(last)
	}
	return out
}

// serverIngress returns the Ingress of a server, nil if there is none.
func (b build) serverIngress() any {
	kind, serves := server.KindOf(&b.App.Spec)
	if !serves || !b.Started || b.App.Spec.Server.Ingress == nil || b.Withheld[conf.ServerIngressField] {
		return nil
	}
	return b.ingressTo(b.App.Name, *b.App.Spec.Server.Ingress,
		networkingv1.IngressServiceBackend{Name: b.App.Name, Port: networkingv1.ServiceBackendPort{Number: kind.Port}})
}

// grpcRoute is a GRPCRoute without its status, which the operator must not apply.
type grpcRoute struct {
	Metadata any                     `json:"metadata"`
	Spec     gatewayv1.GRPCRouteSpec `json:"spec"`
}

// serverRoute returns the GRPCRoute of a server, nil if there is none.
func (b build) serverRoute() any {
	kind, serves := server.KindOf(&b.App.Spec)
	if !serves || !b.Started || b.App.Spec.Server.Route == nil || b.Withheld[conf.ServerRouteField] {
		return nil
	}
	from, meta := b.App.Spec.Server.Route, b.meta(b.App.Name)
	route := &grpcRoute{Metadata: &meta}
	route.Spec.ParentRefs = parentsOf(from.ParentRefs)
	route.Spec.Hostnames = []gatewayv1.Hostname{gatewayv1.Hostname(conf.FillIn(b.App, from.Hostname))}
	route.Spec.Rules = []gatewayv1.GRPCRouteRule{{
		BackendRefs: []gatewayv1.GRPCBackendRef{{BackendRef: gatewayv1.BackendRef{BackendObjectReference: gatewayv1.BackendObjectReference{
			Name: gatewayv1.ObjectName(b.App.Name), Port: ptr.To(kind.Port),
		}}}},
	}}
	return route
}
