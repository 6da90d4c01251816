// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package convert

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// ToAPI returns the stored form of a grant.
func ToAPI(g queueing.Grant) *v1alpha1.Grant {
	stored := &v1alpha1.Grant{
		Run: g.Run, Attempt: g.Attempt,
		Gate: v1alpha1.GateType(g.Gate), Queue: g.Queue, Ancestors: g.Ancestors, Priority: g.Priority, Epoch: g.Epoch, Gated: g.SchedulingGated, Inputs: g.Inputs, Resizes: g.Resizes,
		PodSets: make([]v1alpha1.PodSetGrant, 0, len(g.PodSets)),
	}
	if g.HoldsFor > 0 {
		stored.HoldsFor = &metav1.Duration{Duration: g.HoldsFor}
	}
	for _, p := range g.PodSets {
		stored.PodSets = append(stored.PodSets, v1alpha1.PodSetGrant{
			Name: p.Name, Flavor: p.Flavor, Count: p.Count,
			Requests:     quantities(p.Requests),
			NodeSelector: p.NodeSelector, Tolerations: p.Tolerations,
			Labels: p.Labels, Annotations: p.Annotations, SchedulerName: p.SchedulerName,
			Elastic: p.Elastic, Flavors: p.Flavors,
			SchedulingGates: p.SchedulingGates,
		})
	}
	return stored
}

// AskToAPI returns the stored form of an ask.
func AskToAPI(gate string, podSets []queueing.PodSet) *v1alpha1.Ask {
	stored := &v1alpha1.Ask{Gate: gate}
	for _, p := range podSets {
		stored.PodSets = append(stored.PodSets, v1alpha1.PodSetAsk{
			Name: p.Name, Count: p.Count, MinCount: p.MinCount, Requests: quantities(p.Requests), Flavors: p.Flavors,
		})
	}
	return stored
}

// FromAPI returns a stored grant. Invalid amounts become the nearest valid ones.
func FromAPI(stored *v1alpha1.Grant) queueing.Grant {
	g := queueing.Grant{
		Run: stored.Run, Attempt: stored.Attempt,
		Gate: string(stored.Gate), Queue: stored.Queue, Ancestors: stored.Ancestors, Priority: stored.Priority, Epoch: stored.Epoch, SchedulingGated: stored.Gated, Inputs: stored.Inputs, Resizes: stored.Resizes,
		PodSets: make([]queueing.PodSetGrant, 0, len(stored.PodSets)),
	}
	if stored.HoldsFor != nil {
		g.HoldsFor = stored.HoldsFor.Duration
	}
	for _, p := range stored.PodSets {
		g.PodSets = append(g.PodSets, queueing.PodSetGrant{
			Name: p.Name, Flavor: p.Flavor, Count: p.Count,
			Requests:     amounts.ClampAll(p.Requests),
			NodeSelector: p.NodeSelector, Tolerations: p.Tolerations,
			Labels: p.Labels, Annotations: p.Annotations, SchedulerName: p.SchedulerName,
			Elastic: p.Elastic, Flavors: p.Flavors,
			SchedulingGates: p.SchedulingGates,
		})
	}
	return g
}

func quantities(r queueing.Resources) map[corev1.ResourceName]resource.Quantity {
	if r == nil {
		return nil
	}
	q := make(map[corev1.ResourceName]resource.Quantity, len(r))
	for name, amount := range r {
		q[corev1.ResourceName(name)] = amounts.Quantity(name, amount)
	}
	return q
}
