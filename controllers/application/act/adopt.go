// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// asWanted reports whether an existing object has the wanted content. Fields that the API server has added do not
// count. Driver pods always pass: the lifecycle compares them once the watch shows them, because they may be running
// already.
func asWanted(existing, wanted client.Object) bool {
	switch wanted := wanted.(type) {
	case *corev1.ConfigMap:
		has, ok := existing.(*corev1.ConfigMap)
		return ok && sameFiles(has, wanted)
	case *corev1.Secret:
		has, ok := existing.(*corev1.Secret)
		return ok && sameSecret(has, wanted)
	case *corev1.Service:
		has, ok := existing.(*corev1.Service)
		return ok && sameService(&has.Spec, &wanted.Spec)
	case *networkingv1.NetworkPolicy:
		has, ok := existing.(*networkingv1.NetworkPolicy)
		return ok && sameRules(&has.Spec, &wanted.Spec)
	case *corev1.PersistentVolumeClaim:
		has, ok := existing.(*corev1.PersistentVolumeClaim)
		return ok && equality.Semantic.DeepDerivative(wanted.Spec, has.Spec)
	}
	return true
}

func sameFiles(has, wanted *corev1.ConfigMap) bool {
	return maps.Equal(has.Data, wanted.Data) && len(has.BinaryData) == 0 && equality.Semantic.DeepEqual(has.Immutable, wanted.Immutable)
}

func sameSecret(has, wanted *corev1.Secret) bool {
	same := maps.EqualFunc(has.Data, wanted.StringData, func(a []byte, b string) bool { return string(a) == b })
	return same && equality.Semantic.DeepEqual(has.Immutable, wanted.Immutable)
}

// sameService reports whether two Services select the same pods and are of the same type, ClusterIP by default, and
// whether the existing one has all that is wanted.
func sameService(has, wanted *corev1.ServiceSpec) bool {
	typeOf := func(s *corev1.ServiceSpec) corev1.ServiceType { return cmp.Or(s.Type, corev1.ServiceTypeClusterIP) }
	return equality.Semantic.DeepDerivative(*wanted, *has) && maps.Equal(wanted.Selector, has.Selector) && typeOf(has) == typeOf(wanted)
}

// sameRules reports whether two policies select the same pods, and have the same rules in force. The API server adds no
// defaults to rules without ports.
func sameRules(has, wanted *networkingv1.NetworkPolicySpec) bool {
	return equality.Semantic.DeepEqual(has.PodSelector, wanted.PodSelector) && slices.Equal(policyTypes(has), policyTypes(wanted)) &&
		equality.Semantic.DeepEqual(has.Ingress, wanted.Ingress) && equality.Semantic.DeepEqual(has.Egress, wanted.Egress)
}

// policyTypes returns the types of a policy with the API server's default. The rules of a type that a policy does not
// name restrict nothing.
func policyTypes(p *networkingv1.NetworkPolicySpec) []networkingv1.PolicyType {
	types := p.PolicyTypes
	if len(types) == 0 {
		types = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
		if len(p.Egress) > 0 {
			types = append(types, networkingv1.PolicyTypeEgress)
		}
	}
	return types
}

// containersOf returns the names of all containers of a pod, including init containers; nil for any other object.
func containersOf(obj client.Object) map[string]bool {
	pod, is := obj.(*corev1.Pod)
	if !is {
		return nil
	}
	names := map[string]bool{}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			names[containers[i].Name] = true
		}
	}
	return names
}
