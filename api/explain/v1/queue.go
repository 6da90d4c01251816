// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import "k8s.io/apimachinery/pkg/api/resource"

// Queue is the live view of one queue.
type Queue struct {
	Name   string `json:"name"`
	Parent string `json:"parent,omitempty"`
	// Root is the root of the queue's tree.
	Root string `json:"root,omitempty"`
	// Leaf is true for queues that admit applications.
	Leaf bool `json:"leaf"`
	// Problem is why the queue admits nothing, as the reason of its condition Ready; absent if it does. Message
	// explains it.
	Problem string `json:"problem,omitempty"`
	Message string `json:"message,omitempty"`
	// StoppedBy is the queue, this one or an ancestor, whose stopPolicy drains or holds it. Drained is true if it is
	// drained. AtMaxRunning is the queue that runs as many applications as its maxRunning allows.
	StoppedBy    string `json:"stoppedBy,omitempty"`
	Drained      bool   `json:"drained,omitempty"`
	AtMaxRunning string `json:"atMaxRunning,omitempty"`
	// Pending and Admitted are the numbers of applications of this queue and the queues below it.
	Pending  int32   `json:"pending"`
	Admitted int32   `json:"admitted"`
	Usage    []Usage `json:"usage,omitempty"`
	// Heads are the first applications in this queue itself, at most twenty.
	Heads []Head `json:"heads,omitempty"`
	// ReservedFor is the first application in the queue, if quota is reserved for it because it has waited too long.
	ReservedFor []Head `json:"reservedFor,omitempty"`
	// NotLive is why this is what the status of the queue says instead of the live view. The endpoint never sets it.
	NotLive string `json:"notLive,omitempty"`
}

// Usage is the usage of one resource by this queue and its descendants, and what is available.
type Usage struct {
	Resource string            `json:"resource"`
	Flavor   string            `json:"flavor"`
	Used     resource.Quantity `json:"used"`
	// Nominal includes that of the children; absent if there is no limit.
	Nominal  *resource.Quantity `json:"nominal,omitempty"`
	Borrowed *resource.Quantity `json:"borrowed,omitempty"`
	// Reserved is the part of Available that is reserved for applications of this queue and the queues below it; absent
	// if there is none.
	Reserved *resource.Quantity `json:"reserved,omitempty"`
	// Available is what the queue could use now, including what it can borrow; it is negative if usage is above quota.
	// Max is what it could hold if nothing else ran. Both are absent if there is no limit.
	Available *resource.Quantity `json:"available,omitempty"`
	Max       *resource.Quantity `json:"max,omitempty"`
}
