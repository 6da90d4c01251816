// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
)

// maxNodeLabels bounds how many labels NodeLabels returns because of an affinity, whose size users determine.
const maxNodeLabels = 64

// NodeLabels returns the labels that a node must have for a pod to run on it: those of the pod's node selector, and
// those for which its required node affinity allows only one value. Everything else in the affinity is left to the
// scheduler.
func NodeLabels(spec *corev1.PodSpec) map[string]string {
	demanded := demandedLabels(spec.Affinity)
	if len(demanded) == 0 || len(demanded)+len(spec.NodeSelector) > maxNodeLabels {
		return spec.NodeSelector
	}
	maps.Copy(demanded, spec.NodeSelector)
	return demanded
}

// demandedLabels returns the labels that every term of a required node affinity demands with the same value; a node
// must match one of the terms.
func demandedLabels(affinity *corev1.Affinity) map[string]string {
	if affinity == nil || affinity.NodeAffinity == nil || affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	var all map[string]string
	for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(term.MatchExpressions)+len(term.MatchFields) == 0 {
			continue // it matches no node
		}
		one := map[string]string{}
		for _, e := range term.MatchExpressions {
			if e.Operator == corev1.NodeSelectorOpIn && len(e.Values) == 1 {
				one[e.Key] = e.Values[0]
			}
		}
		if all == nil {
			all = one
			continue
		}
		maps.DeleteFunc(all, func(key, value string) bool {
			other, demanded := one[key]
			return !demanded || other != value
		})
	}
	return all
}
