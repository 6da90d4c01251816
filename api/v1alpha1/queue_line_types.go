// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// QueueHead is an application or an unmanaged pod with a place in the queue.
type QueueHead struct {
	// position is the place in the queue, from 1.
	// +required
	Position int32 `json:"position"`
	// namespace of the application or pod.
	// +required
	Namespace string `json:"namespace"`
	// name of the application or pod.
	// +required
	Name string `json:"name"`
	// priority of the application or pod.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// kind is Pod for an unmanaged pod; absent for an application.
	// +optional
	// +kubebuilder:validation:Enum=Pod
	Kind string `json:"kind,omitempty"`
}

// UnmanagedPods counts Spark pods that belong to no application.
type UnmanagedPods struct {
	// pending is the number of pods that wait behind their scheduling gate.
	// +optional
	// +kubebuilder:default=0
	Pending int32 `json:"pending"`

	// admitted is the number of pods that hold quota.
	// +optional
	// +kubebuilder:default=0
	Admitted int32 `json:"admitted"`
}

// PodHead is the kind of a QueueHead that is a pod.
const PodHead = "Pod"
