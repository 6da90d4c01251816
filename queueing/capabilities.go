// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queueing

// Capabilities are what a gate can do, and what it leaves to others. Callers check them instead of comparing names of
// gates.
type Capabilities struct {
	// Queues is true if a grant is held in a queue to which an attempt can return. Otherwise the gate grants whatever
	// is asked for.
	Queues bool
	// SparkQueues is true if those queues are SparkQueues, whose grants are recorded in the ledger.
	SparkQueues bool
	// Charges is true if the gate can charge pods that run although they never asked (interface Charger). Only at such
	// a gate may pods ask for themselves.
	Charges bool
	// Resizes is true if grants can grow and shrink while they are held (interface Resizer).
	Resizes bool
	// DescribesPods is true if the gate describes pods to another system, so that an ask needs Objects with templates.
	DescribesPods bool
	// LeavesRest is true if the gate reserves quota for the smallest gang and leaves the other pods to a scheduler.
	LeavesRest bool
	// ShowsProgress is true if the gate shows the progress of an attempt in another system (interface
	// ProgressObserver).
	ShowsProgress bool
	// QueueLabel is the label with which users of the other system name a queue on an asker; empty if there is none.
	QueueLabel string
	// UnreadLabels are labels of an asker that the other system reads on its own kinds of jobs only, each with the
	// field that sets the same for an asker.
	UnreadLabels map[string]string
	// OwnFlavors is true if the queues have flavors of their own, which are not SparkFlavors.
	OwnFlavors bool
	// PodIntegration is true if the other system can be configured to manage pods on its own, in which case it keeps the
	// pods of a grant waiting as well.
	PodIntegration bool
	// Scheduler is the name of the scheduler that places the pods; empty if any may.
	Scheduler string
}
