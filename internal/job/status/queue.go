// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package status

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// QueueState is the state of a queue, which is the reason of its condition Ready. The set is closed.
type QueueState string

// The states of a queue.
const (
	// QueueActive: the queue is part of a tree and admits applications. A queue that is held by its spec is also
	// active, and its message says that it is held.
	QueueActive QueueState = v1alpha1.ActiveReason
	// QueueParentNotFound: the queue above this one does not exist yet.
	QueueParentNotFound QueueState = v1alpha1.ParentNotFoundReason
	// QueueCycle: the queue is its own ancestor.
	QueueCycle QueueState = v1alpha1.CycleReason
	// QueueFlavorNotFound: a flavor that the queue names does not exist yet.
	QueueFlavorNotFound QueueState = v1alpha1.FlavorNotFoundReason
	// QueueInvalidSpec: a value of the spec cannot work.
	QueueInvalidSpec QueueState = v1alpha1.InvalidSpecReason
	// QueueNoQuota: no queue of the tree has a quota, and its root is not unlimited.
	QueueNoQuota QueueState = v1alpha1.NoQuotaReason
)

// queueTable defines the conditions of queues by state.
var queueTable = map[QueueState]struct {
	readiness readiness
	message   string
}{
	QueueActive:         {succeeded, "admits applications"},
	QueueParentNotFound: {retrying, "the queue named by spec.parent does not exist yet"},
	QueueCycle:          {stalled, "the queue is its own ancestor: change spec.parent"},
	QueueFlavorNotFound: {retrying, "a flavor named by spec.flavors does not exist yet"},
	QueueInvalidSpec:    {stalled, "the spec is invalid"},
	QueueNoQuota:        {retrying, "no queue of this tree has a quota, so nothing is admitted: set spec.flavors, or spec.unlimited: true on its root"},
}

// QueueView is everything that the conditions of a queue depend on, apart from its earlier conditions.
type QueueView struct {
	State QueueState
	// Message is the message of Ready, Reconciling and Stalled; if empty, the default message of the state is used. It
	// is stable, like View.Message.
	Message string
	// Generation is the observedGeneration of every condition.
	Generation int64
}

// QueueConditions returns all conditions of a queue, by the same rules as Conditions. For an unknown state it returns
// old.
func QueueConditions(old []metav1.Condition, v QueueView, now metav1.Time) []metav1.Condition {
	r, known := queueTable[v.State]
	if !known {
		return old
	}
	l := conditionList{old: old, now: now, generation: v.Generation}
	l.addReadiness(r.readiness, string(v.State), cmp.Or(v.Message, r.message))
	return l.sorted()
}
