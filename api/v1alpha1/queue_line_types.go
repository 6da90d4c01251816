// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// QueueHead is one application in line, or one pod that belongs to none.
type QueueHead struct {
	// position in line, from 1.
	// +required
	Position int32 `json:"position"`
	// namespace of the application.
	// +required
	Namespace string `json:"namespace"`
	// name of the application, or of the pod.
	// +required
	Name string `json:"name"`
	// priority of the application.
	// +optional
	Priority int32 `json:"priority,omitempty"`
	// kind is Pod for a pod that belongs to no application; absent for an application.
	// +optional
	// +kubebuilder:validation:Enum=Pod
	Kind string `json:"kind,omitempty"`
}

// UnmanagedPods counts Spark pods that belong to no application.
type UnmanagedPods struct {
	// pending pods wait behind their scheduling gate.
	// +optional
	// +kubebuilder:default=0
	Pending int32 `json:"pending"`

	// admitted pods hold quota.
	// +optional
	// +kubebuilder:default=0
	Admitted int32 `json:"admitted"`
}

// PodHead is the kind of a QueueHead that is a pod.
const PodHead = "Pod"
