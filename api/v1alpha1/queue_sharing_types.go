// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package v1alpha1

// FairSharing shares the quota of a queue among its children by their weights.
type FairSharing struct {
	// preemption is whether an application that borrows may preempt others because its branch of the tree has less than
	// its share: Never (default), LessThanOrEqualToFinalShare or LessThanInitialShare.
	// +optional
	// +kubebuilder:validation:Enum=Never;LessThanOrEqualToFinalShare;LessThanInitialShare
	Preemption FairPreemption `json:"preemption,omitempty"`
}

// FairPreemption is the rule for preemption by shares.
type FairPreemption string

// Values of fairSharing.preemption.
const (
	FairPreemptionNever                       FairPreemption = "Never"
	FairPreemptionLessThanOrEqualToFinalShare FairPreemption = "LessThanOrEqualToFinalShare"
	FairPreemptionLessThanInitialShare        FairPreemption = "LessThanInitialShare"
)

// FlavorPreference is how a flavor is chosen.
type FlavorPreference string

// Values of flavorPreference.
const (
	FlavorPreferenceInOrder         FlavorPreference = "InOrder"
	FlavorPreferenceLeastBorrowing  FlavorPreference = "LeastBorrowing"
	FlavorPreferenceLeastPreemption FlavorPreference = "LeastPreemption"
)
