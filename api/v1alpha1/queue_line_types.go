// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// PodKind is the kind of a QueueHead that is an unmanaged pod.
const PodKind = "Pod"

// QueueHead is an ask with a place in the queue.
type QueueHead struct {
	// position is the place in the queue, from 1.
	// +required
	Position int32 `json:"position"`
	// kind of the object that asks: SparkApplication, or Pod for an unmanaged pod.
	// +required
	Kind string `json:"kind"`
	// namespace of the object.
	// +required
	Namespace string `json:"namespace"`
	// name of the object.
	// +required
	Name string `json:"name"`
	// priority of the ask.
	// +optional
	Priority int32 `json:"priority,omitempty"`
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
