// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Ask is what an application requests from its queue.
type Ask struct {
	// gate is the gate that is asked.
	// +optional
	Gate string `json:"gate,omitempty"`
	// podSets are the driver and the executors of the base gang.
	// +optional
	// +listType=atomic
	PodSets []PodSetAsk `json:"podSets,omitempty"`
}

// PodSetAsk is a number of equal pods.
type PodSetAsk struct {
	// name of the pod set: driver or executor.
	// +required
	Name string `json:"name"`
	// count is the number of pods.
	// +required
	Count int32 `json:"count"`
	// minCount is the smallest number of pods with which the application can start; absent if it needs all.
	// +optional
	MinCount int32 `json:"minCount,omitempty"`
	// requests are the requests of each pod.
	// +optional
	Requests map[corev1.ResourceName]resource.Quantity `json:"requests,omitempty"`
	// flavors are those in which the pods may be placed; empty for any.
	// +optional
	// +listType=atomic
	Flavors []string `json:"flavors,omitempty"`
}
