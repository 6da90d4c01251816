// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestAsWanted: an object that exists already is used only with the content that it was to have.
func TestAsWanted(t *testing.T) {
	t.Parallel()
	files := func(immutable bool, data map[string]string) *corev1.ConfigMap {
		return &corev1.ConfigMap{Immutable: &immutable, Data: data}
	}
	stored := func(data string) *corev1.Secret {
		return &corev1.Secret{Immutable: ptr.To(true), Data: map[string][]byte{"spark.properties": []byte(data)}}
	}
	service := func(change func(*corev1.ServiceSpec)) *corev1.Service {
		s := &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "None", Selector: map[string]string{"a": "b"}, Ports: []corev1.ServicePort{{Port: 7078}}}}
		change(&s.Spec)
		return s
	}
	policy := func(rules ...networkingv1.NetworkPolicyIngressRule) *networkingv1.NetworkPolicy {
		return &networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{Ingress: rules}}
	}
	ofTypes := func(p *networkingv1.NetworkPolicy, types ...networkingv1.PolicyType) *networkingv1.NetworkPolicy {
		p.Spec.PolicyTypes = types
		return p
	}
	rule := func(peers ...networkingv1.NetworkPolicyPeer) networkingv1.NetworkPolicyIngressRule {
		return networkingv1.NetworkPolicyIngressRule{From: peers}
	}
	pods := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}}}
	everywhere := networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{}}
	claim := func(class *string) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: class}}
	}
	for name, tc := range map[string]struct {
		wanted, existing client.Object
		same             bool
	}{
		"the same files":         {files(true, map[string]string{"a": "b"}), files(true, map[string]string{"a": "b"}), true},
		"another file":           {files(true, map[string]string{"a": "b"}), files(true, map[string]string{"a": "c"}), false},
		"one file more":          {files(true, map[string]string{"a": "b"}), files(true, map[string]string{"a": "b", "c": ""}), false},
		"files that may change":  {files(true, nil), files(false, nil), false},
		"binary files":           {files(true, nil), &corev1.ConfigMap{Immutable: ptr.To(true), BinaryData: map[string][]byte{"a": nil}}, false},
		"the same secret":        {&corev1.Secret{Immutable: ptr.To(true), StringData: map[string]string{"spark.properties": "a"}}, stored("a"), true},
		"another secret":         {&corev1.Secret{Immutable: ptr.To(true), StringData: map[string]string{"spark.properties": "a"}}, stored("b"), false},
		"a secret that changes":  {&corev1.Secret{StringData: map[string]string{"spark.properties": "a"}}, stored("a"), false},
		"a service with default": {service(func(*corev1.ServiceSpec) {}), service(func(s *corev1.ServiceSpec) { s.Ports[0].Protocol = "TCP" }), true},
		"another selector":       {service(func(*corev1.ServiceSpec) {}), service(func(s *corev1.ServiceSpec) { s.Selector["c"] = "d" }), false},
		"another port":           {service(func(*corev1.ServiceSpec) {}), service(func(s *corev1.ServiceSpec) { s.Ports[0].Port = 1 }), false},
		"another type":           {service(func(*corev1.ServiceSpec) {}), service(func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeExternalName }), false},
		"the default type":       {service(func(*corev1.ServiceSpec) {}), service(func(s *corev1.ServiceSpec) { s.Type = corev1.ServiceTypeClusterIP }), true},
		"rules with default":     {policy(rule(pods)), ofTypes(policy(rule(pods)), networkingv1.PolicyTypeIngress), true},
		"rules not in force":     {policy(rule(pods)), ofTypes(policy(rule(pods)), networkingv1.PolicyTypeEgress), false},
		"egress denied as well":  {policy(rule(pods)), ofTypes(policy(rule(pods)), networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress), false},
		"the same rules":         {policy(rule(pods)), policy(rule(pods)), true},
		"one rule more":          {policy(rule(pods)), policy(rule(pods), rule()), false},
		"one peer more":          {policy(rule(pods)), policy(rule(pods, everywhere)), false},
		"a claim with default":   {claim(nil), claim(ptr.To("fast")), true},
		"another class":          {claim(ptr.To("slow")), claim(ptr.To("fast")), false},
		"another kind":           {files(true, nil), stored("a"), false},
	} {
		if same := asWanted(tc.existing, tc.wanted); same != tc.same {
			t.Errorf("%s: as wanted: %t, want %t", name, same, tc.same)
		}
	}
}
