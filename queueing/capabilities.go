// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

// Capabilities are what a gate can do, and what it leaves to others. Callers ask for them instead of comparing names of
// gates.
type Capabilities struct {
	// Queues: a grant is held in a queue, to which an attempt can return. Without it the gate grants whatever is asked
	// for.
	Queues bool
	// SparkQueues: those queues are SparkQueues, and their grants are in the ledger.
	SparkQueues bool
	// UnmanagedPods: pods that belong to no application may also ask.
	UnmanagedPods bool
	// Resizes: grants grow and shrink while they are held (interface Resizer).
	Resizes bool
	// DescribesPods: the gate describes pods to another system, so an ask needs Objects with templates.
	DescribesPods bool
	// LeavesExecutors: the gate reserves quota for the smallest gang and leaves other executors to a scheduler.
	LeavesExecutors bool
	// ShowsProgress: the gate shows others where an attempt stands (interface ProgressObserver).
	ShowsProgress bool
	// QueueLabel is the label of an application by which users of the other system name a queue; empty if there is
	// none.
	QueueLabel string
	// UnreadLabels are labels of an application that the other system reads on its own kinds of jobs only, each with the
	// field that sets the same for an application.
	UnreadLabels map[string]string
	// OwnFlavors: the queues have flavors of their own, which are not SparkFlavors.
	OwnFlavors bool
	// PodIntegration: the other system can be configured to manage pods on its own, and then keeps those of a grant
	// waiting as well.
	PodIntegration bool
	// Scheduler is the name of the scheduler that places the pods; empty if any may.
	Scheduler string
}
