// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Usage is what the current attempt has held and requested so far. It is written together with other changes of the
// status, never alone.
type Usage struct {
	// at is when the amounts were summed, by the operator's clock.
	// +required
	At metav1.MicroTime `json:"at"`
	// granted is what the grant has held.
	// +optional
	Granted ResourceSeconds `json:"granted,omitempty,omitzero"`
	// requested is what the pods of the attempt have requested, each from when it was bound to a node until it ended.
	// +optional
	Requested ResourceSeconds `json:"requested,omitempty,omitzero"`
	// requesting is what these pods requested at that moment: the amounts of one second.
	// +optional
	Requesting ResourceSeconds `json:"requesting,omitempty,omitzero"`
}

// AttemptUsage is what an attempt held and requested, from the time at which it was granted quota until it held none.
type AttemptUsage struct {
	// queue is the queue that was charged.
	// +optional
	Queue string `json:"queue,omitempty"`
	// since is when the attempt was admitted.
	// +required
	Since metav1.Time `json:"since"`
	// until is when the grant was released, which may be long after the attempt has ended.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
	// granted is what the grant held.
	// +optional
	Granted ResourceSeconds `json:"granted,omitempty,omitzero"`
	// requested is what the pods of the attempt requested, each from when it was bound to a node until it ended.
	// +optional
	Requested ResourceSeconds `json:"requested,omitempty,omitzero"`
}

// ResourceSeconds are amounts of resources, each multiplied by the time for which it was held.
type ResourceSeconds struct {
	// milliCPUSeconds is in thousandths of a core, times seconds.
	// +optional
	MilliCPUSeconds int64 `json:"milliCPUSeconds,omitempty"`
	// memoryMiBSeconds is in mebibytes, times seconds.
	// +optional
	MemoryMiBSeconds int64 `json:"memoryMiBSeconds,omitempty"`
	// milliGPUSeconds is in thousandths of an accelerator, times seconds.
	// +optional
	MilliGPUSeconds int64 `json:"milliGPUSeconds,omitempty"`
}

// ElasticUsage counts executors above base gangs.
type ElasticUsage struct {
	// granted is the number of executors that hold quota.
	// +required
	Granted int32 `json:"granted"`
	// waiting is the number of executors that their applications want and that wait behind their scheduling gates.
	// +required
	Waiting int32 `json:"waiting"`
}
