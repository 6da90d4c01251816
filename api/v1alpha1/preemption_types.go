// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// QueuePreemption is which applications a pending application of this queue may preempt.
type QueuePreemption struct {
	// withinQueue is which applications of the same queue it may preempt: Never (default), LowerPriority or
	// LowerOrNewerEqualPriority.
	// +optional
	// +kubebuilder:validation:Enum=Never;LowerPriority;LowerOrNewerEqualPriority
	WithinQueue PreemptionPolicy `json:"withinQueue,omitempty"`

	// reclaimWithinTree is which applications of other queues of the tree it may preempt to reclaim quota of this queue
	// that they have borrowed: Any (default), LowerPriority or Never.
	// +optional
	// +kubebuilder:validation:Enum=Never;LowerPriority;Any
	ReclaimWithinTree PreemptionPolicy `json:"reclaimWithinTree,omitempty"`

	// borrowWithinTree is which applications of other queues it may preempt while it borrows. Default: none.
	// +optional
	BorrowWithinTree *BorrowWithinTree `json:"borrowWithinTree,omitempty"`
}

// PreemptionPolicy is which applications may be preempted.
type PreemptionPolicy string

// Values of the preemption policies.
const (
	PreemptNever                     PreemptionPolicy = "Never"
	PreemptLowerPriority             PreemptionPolicy = "LowerPriority"
	PreemptLowerOrNewerEqualPriority PreemptionPolicy = "LowerOrNewerEqualPriority"
	PreemptAny                       PreemptionPolicy = "Any"
)

// BorrowWithinTree lets an application that borrows preempt applications of other queues.
type BorrowWithinTree struct {
	// policy is Never (default) or LowerPriority.
	// +optional
	// +kubebuilder:validation:Enum=Never;LowerPriority
	Policy PreemptionPolicy `json:"policy,omitempty"`

	// maxPriorityThreshold is the highest priority of applications that may be preempted. Default: no limit.
	// +optional
	// +kubebuilder:validation:Minimum=-2147483648
	// +kubebuilder:validation:Maximum=2147483647
	MaxPriorityThreshold *int32 `json:"maxPriorityThreshold,omitempty"`
}
