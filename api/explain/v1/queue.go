// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1

import "k8s.io/apimachinery/pkg/api/resource"

// Queue is the live view of one queue.
type Queue struct {
	Name   string `json:"name"`
	Parent string `json:"parent,omitempty"`
	// Root of the tree that the queue is in.
	Root string `json:"root,omitempty"`
	// Leaf queues take applications.
	Leaf bool `json:"leaf"`
	// Problem is why it admits nothing, as the reason of its condition Ready; absent if it does. Message explains it.
	Problem string `json:"problem,omitempty"`
	Message string `json:"message,omitempty"`
	// StoppedBy is the queue, this one or one above it, that is drained by its stopPolicy, else held; Drained says which.
	// AtMaxRunning is the one that runs as many applications as its maxRunning allows.
	StoppedBy    string `json:"stoppedBy,omitempty"`
	Drained      bool   `json:"drained,omitempty"`
	AtMaxRunning string `json:"atMaxRunning,omitempty"`
	// Pending and Admitted count the applications of this queue and of those below it.
	Pending  int32   `json:"pending"`
	Admitted int32   `json:"admitted"`
	Usage    []Usage `json:"usage,omitempty"`
	// Heads are the first in line of this very queue, at most twenty.
	Heads []Head `json:"heads,omitempty"`
	// ReservedFor is the first in line, if quota is reserved for it because it has waited for too long.
	ReservedFor []Head `json:"reservedFor,omitempty"`
	// NotLive says why this is what the status of the queue says, and not the live view. The endpoint never sets it.
	NotLive string `json:"notLive,omitempty"`
}

// Usage is the use of one resource by this queue and its descendants, and what is available.
type Usage struct {
	Resource string            `json:"resource"`
	Flavor   string            `json:"flavor"`
	Used     resource.Quantity `json:"used"`
	// Nominal includes the children's; absent without limit.
	Nominal  *resource.Quantity `json:"nominal,omitempty"`
	Borrowed *resource.Quantity `json:"borrowed,omitempty"`
	// Reserved is the part of Available that is kept for applications of this queue and of those below it; absent if
	// there is none.
	Reserved *resource.Quantity `json:"reserved,omitempty"`
	// Available is what the queue could use now, borrowing included, negative above quota; Max is what it could hold if
	// nothing else ran. Absent without limit.
	Available *resource.Quantity `json:"available,omitempty"`
	Max       *resource.Quantity `json:"max,omitempty"`
}
