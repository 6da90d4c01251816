// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// QueuePreemption says which applications a pending application of this queue may preempt.
type QueuePreemption struct {
	// withinQueue: within the same queue. Default: Never.
	// +optional
	// +kubebuilder:validation:Enum=Never;LowerPriority;LowerOrNewerEqualPriority
	WithinQueue PreemptionPolicy `json:"withinQueue,omitempty"`

	// reclaimWithinTree: reclaim this queue's own quota from other queues of the tree that have borrowed it. Default:
	// Any.
	// +optional
	// +kubebuilder:validation:Enum=Never;LowerPriority;Any
	ReclaimWithinTree PreemptionPolicy `json:"reclaimWithinTree,omitempty"`

	// borrowWithinTree: preempt applications of other queues while borrowing. Default: Never.
	// +optional
	BorrowWithinTree *BorrowWithinTree `json:"borrowWithinTree,omitempty"`
}

// PreemptionPolicy says which applications may be preempted.
type PreemptionPolicy string

// Values of the preemption policies.
const (
	PreemptNever                     PreemptionPolicy = "Never"
	PreemptLowerPriority             PreemptionPolicy = "LowerPriority"
	PreemptLowerOrNewerEqualPriority PreemptionPolicy = "LowerOrNewerEqualPriority"
	PreemptAny                       PreemptionPolicy = "Any"
)

// BorrowWithinTree lets an application that borrows preempt others.
type BorrowWithinTree struct {
	// policy is Never (default) or LowerPriority.
	// +optional
	// +kubebuilder:validation:Enum=Never;LowerPriority
	Policy PreemptionPolicy `json:"policy,omitempty"`

	// maxPriorityThreshold protects applications of higher priority. Default: no bound.
	// +optional
	// +kubebuilder:validation:Minimum=-2147483648
	// +kubebuilder:validation:Maximum=2147483647
	MaxPriorityThreshold *int32 `json:"maxPriorityThreshold,omitempty"`
}
