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
	// Problem is why it admits nobody, as the reason of its condition Ready; absent if it does. Message explains it.
	Problem string `json:"problem,omitempty"`
	Message string `json:"message,omitempty"`
	// HeldBy is the queue, this one or one above it, that is stopped; FullBy the one that has as many applications as it may.
	HeldBy string `json:"heldBy,omitempty"`
	FullBy string `json:"fullBy,omitempty"`
	// Pending and Admitted count the applications of this queue and of those below it.
	Pending  int32  `json:"pending"`
	Admitted int32  `json:"admitted"`
	Room     []Room `json:"room,omitempty"`
	// Heads are the first in line of this very queue, at most twenty.
	Heads []Head `json:"heads,omitempty"`
	// KeptFor is the first in line, if room is kept for it because it has waited for too long.
	KeptFor []Head `json:"keptFor,omitempty"`
	// NotLive says why this is what the status of the queue says, and not the live view. The endpoint never sets it.
	NotLive string `json:"notLive,omitempty"`
}

// Room is the use of one resource, by this queue and those below it, and what is left.
type Room struct {
	Resource string            `json:"resource"`
	Flavor   string            `json:"flavor"`
	Used     resource.Quantity `json:"used"`
	// Nominal includes the children's; absent without limit.
	Nominal  *resource.Quantity `json:"nominal,omitempty"`
	Borrowed *resource.Quantity `json:"borrowed,omitempty"`
	// Free is what the queue could use now, borrowing included, negative above quota; Most what it could ever hold. Absent without limit.
	Free *resource.Quantity `json:"free,omitempty"`
	Most *resource.Quantity `json:"most,omitempty"`
}
