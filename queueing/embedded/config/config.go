// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// DefaultFlavor is the built-in flavor, without node labels and taints. It always exists.
const DefaultFlavor = "default"

// Flavor is the configuration of one flavor, which is a class of nodes.
type Flavor struct {
	Name string `json:"name"`
	// NodeLabels are the labels of the flavor's nodes. Pods placed in it get them as a node selector.
	NodeLabels map[string]string `json:"nodeLabels,omitempty"`
	// NodeTaints are the taints of the flavor's nodes. Pods are placed elsewhere unless they or Tolerations tolerate
	// these taints.
	NodeTaints []corev1.Taint `json:"nodeTaints,omitempty"`
	// Tolerations are added to pods placed in the flavor.
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// Strategy is the order in which a queue admits asks. Any value other than StrictFIFO counts as BestEffortFIFO.
type Strategy string

// Values of Strategy, as in the API.
const (
	// BestEffortFIFO lets an asker that fits start before an earlier one that does not.
	BestEffortFIFO Strategy = "BestEffortFIFO"
	// StrictFIFO lets nothing start before the head of the queue. Askers that the queue can never admit do not count as
	// the head.
	StrictFIFO Strategy = "StrictFIFO"
)

// StopPolicy stops admission for a queue and every queue below it. Any value other than Hold and HoldAndDrain counts as
// None.
type StopPolicy string

// Values of StopPolicy, as in the API.
const (
	StopNone StopPolicy = "None"
	StopHold StopPolicy = "Hold"
	// StopHoldAndDrain stops admission and reclaims all grants.
	StopHoldAndDrain StopPolicy = "HoldAndDrain"
)

// Policy selects the askers that may be preempted. Any value other than these counts as PreemptNever.
type Policy string

// Values of Policy, as in the API and in Kueue.
const (
	PreemptNever                     Policy = "Never"
	PreemptLowerPriority             Policy = "LowerPriority"
	PreemptLowerOrNewerEqualPriority Policy = "LowerOrNewerEqualPriority"
	PreemptAny                       Policy = "Any"
)

// FlavorPreference selects among the flavors of a queue. Any value other than these counts as FlavorsInOrder.
type FlavorPreference string

// Values of FlavorPreference, as in the API.
const (
	// FlavorsInOrder selects the first flavor in which an ask fits, borrowing included. If there is none, it selects
	// the first flavor in which the ask may preempt enough.
	FlavorsInOrder FlavorPreference = "InOrder"
	// LeastBorrowing selects the flavor in which an ask fits with the shortest borrowing distance. If it fits in none,
	// the same holds among the flavors in which it may preempt enough. Among equals, a flavor in which it preempts
	// nothing of its own queue comes first.
	LeastBorrowing FlavorPreference = "LeastBorrowing"
	// LeastPreemption is like LeastBorrowing, but preempting nothing of its own queue counts before the borrowing
	// distance.
	LeastPreemption FlavorPreference = "LeastPreemption"
)

// FairPreemption is the rule by which the children of a queue with fair sharing may preempt each other because of their
// shares. Any value other than these counts as PreemptNever.
type FairPreemption string

// Values of FairPreemption, as in the API. The asking side's share is compared as if the ask were admitted.
const (
	// PreemptLessThanOrEqualToFinalShare allows preemption while that share is at most the share that the target's side
	// keeps.
	PreemptLessThanOrEqualToFinalShare FairPreemption = "LessThanOrEqualToFinalShare"
	// PreemptLessThanInitialShare also allows it, where that rule finds too little, while that share is less than the
	// share of the target's side before the preemption.
	PreemptLessThanInitialShare FairPreemption = "LessThanInitialShare"
)

// Preemption selects the askers that pending asks of a queue may preempt. The zero value preempts nothing.
type Preemption struct {
	// Within applies within the queue: PreemptLowerPriority or PreemptLowerOrNewerEqualPriority.
	Within Policy `json:"within,omitempty"`
	// Reclaim applies to other queues that have borrowed, for asks that stay within quota: PreemptLowerPriority or
	// PreemptAny.
	Reclaim Policy `json:"reclaim,omitempty"`
	// Borrow applies like Reclaim, but for asks that borrow themselves: PreemptLowerPriority.
	Borrow Policy `json:"borrow,omitempty"`
	// BorrowThreshold is the highest priority that Borrow may preempt; nil means no bound.
	BorrowThreshold *int32 `json:"borrowThreshold,omitempty"`
}

// DefaultHeadTimeout is how long the head of a queue may be overtaken if the queue has no HeadTimeout.
const DefaultHeadTimeout = 10 * time.Minute

// Queue is the configuration of one queue.
type Queue struct {
	Name string `json:"name"`
	// Parent is empty for a root.
	Parent string `json:"parent,omitempty"`
	// Weight divides the share of the queue if its parent uses fair sharing: with twice the weight a queue may borrow
	// twice as much before its siblings precede it. With 0 it comes last.
	Weight int32 `json:"weight"`
	// FairSharing orders the children before anything else: those within their own quota first, then by their weighted
	// dominant shares, so that they borrow equally.
	FairSharing bool `json:"fairSharing,omitempty"`
	// FairPreemption lets asks that borrow themselves preempt, as their Preemption.Reclaim allows, in those children of
	// this queue that have more than their shares. It takes effect only with FairSharing.
	FairPreemption FairPreemption `json:"fairPreemption,omitempty"`
	// Flavors are in order of preference: a pod set is placed in the first one in which it fits, borrowing included. A
	// queue without flavors uses those of the nearest ancestor that has some, or else DefaultFlavor.
	Flavors []FlavorQuota `json:"flavors,omitempty"`
	// FlavorPreference selects the flavor of an ask that could be placed in several.
	FlavorPreference FlavorPreference `json:"flavorPreference,omitempty"`
	// Unlimited on a root lets the queues of the tree use any amount of resources for which no queue of the tree has a
	// quota. Without it a tree without quotas admits nothing.
	Unlimited bool `json:"unlimited,omitempty"`
	// Preemption selects the askers that pending asks of this queue may preempt.
	Preemption Preemption `json:"preemption,omitzero"`
	// MaxRunning bounds the number of admitted askers in this queue and those below it; nil means no bound.
	MaxRunning *int32   `json:"maxRunning,omitempty"`
	Strategy   Strategy `json:"strategy,omitempty"`
	// HeadTimeout is how long the head of the queue may be overtaken before quota is reserved for it (see
	// Engine.Advance); nil is DefaultHeadTimeout. With 0 a StrictFIFO queue reserves nothing beyond its own quota.
	HeadTimeout *time.Duration `json:"headTimeout,omitempty"`
	Stop        StopPolicy     `json:"stop,omitempty"`
	// Admits reports whether askers of a namespace with these labels may use the queue; nil admits none. Only the
	// queue named in the ask is checked, not those above it. Admits must not keep or modify the map, and must depend on
	// nothing else.
	Admits func(labels map[string]string) bool `json:"-"`
	// NamesNamespaces is true if the selector requires certain labels: it does not match all namespaces, nor one just
	// because a label is absent.
	NamesNamespaces bool `json:"namesNamespaces,omitempty"`
	// SelectorText is the namespace selector as users write it, for messages.
	SelectorText string `json:"selector,omitempty"`
	// Deleted is true if the queue is being deleted. It counts as absent, except that what it still holds is charged to
	// its parent.
	Deleted bool `json:"deleted,omitempty"`
}

// FlavorQuota is the quota of a queue in one flavor.
type FlavorQuota struct {
	Name   string          `json:"name"`
	Quotas []ResourceQuota `json:"quotas,omitempty"`
}

// ResourceQuota is the quota of one resource, in the units of queueing.Resources (see package amounts). Negative
// numbers count as 0; quota.Unlimited means no limit.
type ResourceQuota struct {
	Resource string `json:"resource"`
	Nominal  int64  `json:"nominal"`
	// Borrowing bounds usage above the quota of this queue and its children; nil means no bound.
	Borrowing *int64 `json:"borrowing,omitempty"`
	// Lending bounds how much of the quota other queues may use; nil means all of it.
	Lending *int64 `json:"lending,omitempty"`
}

// Stopped reports whether the queue admits nothing because of its stop policy.
func (c *Queue) Stopped() bool { return c.Stop == StopHold || c.Stop == StopHoldAndDrain }

// FlavorNames returns the names of the queue's flavors, or nil if it has none.
func (c *Queue) FlavorNames() []string {
	var names []string
	for _, f := range c.Flavors {
		names = append(names, f.Name)
	}
	return names
}

// IsSet reports whether the policy allows any preemption.
func (p Policy) IsSet() bool { return p != "" && p != PreemptNever }

// Any reports whether the policies allow any preemption.
func (p Preemption) Any() bool { return p.Within.IsSet() || p.Reclaim.IsSet() || p.Borrow.IsSet() }

// Active reports whether the policies can find targets at all; quotaToReclaim says whether any queue has borrowed.
func (p Preemption) Active(quotaToReclaim bool) bool {
	return p.Within.IsSet() || quotaToReclaim && (p.Reclaim.IsSet() || p.Borrow.IsSet())
}
