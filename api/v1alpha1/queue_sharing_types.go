// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// FairSharing shares the quota of a queue among its children by their weights.
type FairSharing struct {
	// preemption says whether an application that borrows may preempt because its part of the tree has less than its share: Never
	// (default), LessThanOrEqualToFinalShare or LessThanInitialShare.
	// +optional
	// +kubebuilder:validation:Enum=Never;LessThanOrEqualToFinalShare;LessThanInitialShare
	Preemption FairPreemption `json:"preemption,omitempty"`
}

// FairPreemption is the rule by which shares preempt.
type FairPreemption string

// Values of fairSharing.preemption.
const (
	FairPreemptionNever                       FairPreemption = "Never"
	FairPreemptionLessThanOrEqualToFinalShare FairPreemption = "LessThanOrEqualToFinalShare"
	FairPreemptionLessThanInitialShare        FairPreemption = "LessThanInitialShare"
)

// FlavorPreference chooses among flavors.
type FlavorPreference string

// Values of flavorPreference.
const (
	FlavorPreferenceInOrder         FlavorPreference = "InOrder"
	FlavorPreferenceLeastBorrowing  FlavorPreference = "LeastBorrowing"
	FlavorPreferenceLeastPreemption FlavorPreference = "LeastPreemption"
)
