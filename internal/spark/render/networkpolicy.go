// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package render

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// networkPolicyStep creates a NetworkPolicy that lets only pods of the same attempt connect to its executors.
func networkPolicyStep(b *build) error {
	if !b.client.networkPolicy {
		return nil
	}
	attempt := map[string]string{v1alpha1.SparkSelectorLabel: b.names.ApplicationID}
	policy := &networkingv1.NetworkPolicy{ObjectMeta: objectMeta(b.in, b.names.NetworkPolicy)}
	policy.Labels = merged(policy.Labels, attempt)
	policy.Spec = networkingv1.NetworkPolicySpec{
		PodSelector: metav1.LabelSelector{MatchLabels: merged(attempt, map[string]string{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor})},
		Ingress: []networkingv1.NetworkPolicyIngressRule{{
			From: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{MatchLabels: attempt}}},
		}},
	}
	b.networkPolicy = policy
	return nil
}
