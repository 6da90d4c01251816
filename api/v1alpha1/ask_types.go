// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Ask is what an application asks its queue for.
type Ask struct {
	// gate that is asked.
	// +optional
	Gate string `json:"gate,omitempty"`
	// podSets are driver and executors of the base gang.
	// +optional
	// +listType=atomic
	PodSets []PodSetAsk `json:"podSets,omitempty"`
}

// PodSetAsk is a number of equal pods.
type PodSetAsk struct {
	// name of the pod set: driver or executor.
	// +required
	Name string `json:"name"`
	// count of pods.
	// +required
	Count int32 `json:"count"`
	// minCount is the least number with which the application can start; absent for all.
	// +optional
	MinCount int32 `json:"minCount,omitempty"`
	// requests of each pod.
	// +optional
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`
	// flavors that the pods may be placed in; empty for any.
	// +optional
	// +listType=atomic
	Flavors []string `json:"flavors,omitempty"`
}
