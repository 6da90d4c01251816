// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/queueing/quota"
	corev1 "k8s.io/api/core/v1"
)

// DefaultFlavor is the class of nodes that is built in: no labels, no taints. It always exists.
const DefaultFlavor = "default"

// FlavorConfig is one class of nodes as it is configured.
type FlavorConfig struct {
	Name string
	// NodeLabels are the labels that its nodes have; pods placed in it get them as node selector.
	NodeLabels map[string]string
	// NodeTaints are the taints of its nodes. A pod set is placed elsewhere unless its own tolerations or Tolerations
	// cover them.
	NodeTaints []corev1.Taint
	// Tolerations are added to pods placed in it.
	Tolerations []corev1.Toleration
}

// Strategy is the order in which a queue serves. Anything else than StrictFIFO counts as BestEffortFIFO.
type Strategy string

// The strategies, with the values of the API.
const (
	// BestEffortFIFO: an application that fits may start before an earlier one that does not.
	BestEffortFIFO Strategy = "BestEffortFIFO"
	// StrictFIFO: nothing starts before the first in line. Applications that the queue can never admit are not in line.
	StrictFIFO Strategy = "StrictFIFO"
)

// StopPolicy stops admission for a queue and every queue below it. Any value other than Hold and HoldAndDrain counts
// as None.
type StopPolicy string

// The stop policies, with the values of the API.
const (
	StopNone StopPolicy = "None"
	StopHold StopPolicy = "Hold"
	// StopHoldAndDrain holds and asks for all grants back.
	StopHoldAndDrain StopPolicy = "HoldAndDrain"
)

// Policy selects the applications that may be preempted. Any value other than these counts as PreemptNever.
type Policy string

// The policies, with the values of the API, which are those of Kueue.
const (
	PreemptNever                     Policy = "Never"
	PreemptLowerPriority             Policy = "LowerPriority"
	PreemptLowerOrNewerEqualPriority Policy = "LowerOrNewerEqualPriority"
	PreemptAny                       Policy = "Any"
)

// FlavorPreference chooses among the flavors of a queue. Any value other than these counts as FlavorsInOrder.
type FlavorPreference string

// The preferences, with the values of the API.
const (
	// FlavorsInOrder takes the first flavor in which an ask fits, borrowing included; if there is none, the first in
	// which it may preempt enough.
	FlavorsInOrder FlavorPreference = "InOrder"
	// LeastBorrowing takes the one in which it fits and borrows over the shortest distance; if there is none, of those in
	// which it may preempt enough. Among equals what preempts nothing of its own queue comes first.
	LeastBorrowing FlavorPreference = "LeastBorrowing"
	// LeastPreemption is LeastBorrowing, but what preempts nothing of its own queue comes before the shorter distance.
	LeastPreemption FlavorPreference = "LeastPreemption"
)

// FairPreemption is the rule by which the children of a queue that uses fair sharing may preempt each other because of
// their shares. Any value other than these counts as PreemptNever.
type FairPreemption string

// The rules, with the values of the API. A share is compared as it is with the ask.
const (
	// PreemptLessThanOrEqualToFinalShare: the share may become as great as what the target leaves its side.
	PreemptLessThanOrEqualToFinalShare FairPreemption = "LessThanOrEqualToFinalShare"
	// PreemptLessThanInitialShare: where that finds too little, the share may also become less than that of the target's
	// side before.
	PreemptLessThanInitialShare FairPreemption = "LessThanInitialShare"
)

// Preemption selects the applications that pending asks of a queue may preempt. The zero value preempts nothing.
type Preemption struct {
	// Within the queue: PreemptLowerPriority or PreemptLowerOrNewerEqualPriority.
	Within Policy
	// Reclaim: in queues that have borrowed, if the ask stays within quota: PreemptLowerPriority or PreemptAny.
	Reclaim Policy
	// Borrow: as Reclaim, but for asks that borrow themselves: PreemptLowerPriority.
	Borrow Policy
	// BorrowThreshold is the highest priority that Borrow may preempt; nil means no bound.
	BorrowThreshold *int32
}

// DefaultHeadTimeout is how long the head of a queue may be overtaken if the queue does not set HeadTimeout.
const DefaultHeadTimeout = 10 * time.Minute

// QueueConfig is one queue as it is configured.
type QueueConfig struct {
	Name string
	// Parent is empty for a root.
	Parent string
	// Weight divides the share of the queue if its parent uses fair sharing: with twice the weight a queue may borrow
	// twice as much before its siblings come first. With 0 it comes last.
	Weight int32
	// FairSharing orders the children by their weighted dominant shares before anything else, so that they borrow
	// alike.
	FairSharing bool
	// FairPreemption lets asks preempt, as their Preemption.Reclaim allows, in children of this queue that have more than
	// their shares, although the asks borrow themselves. Only with FairSharing.
	FairPreemption FairPreemption
	// Flavors in order of preference: a pod set is placed in the first one in which it fits, borrowing included. A
	// queue without flavors uses those of the nearest ancestor that has some; if there is none, DefaultFlavor.
	Flavors []FlavorQuota
	// FlavorPreference says which of the flavors an ask gets that could be placed in several.
	FlavorPreference FlavorPreference
	// Unlimited, on a root, lets the queues of the tree use any amount of what no queue of the tree has a quota for.
	// Without it a tree without quotas admits nothing.
	Unlimited bool
	// Preemption selects the applications that pending asks of this queue may preempt.
	Preemption Preemption
	// MaxRunning bounds the admitted applications of this queue and those below it; nil means no bound.
	MaxRunning *int32
	Strategy   Strategy
	// HeadTimeout is how long the head of the queue may be overtaken before quota is reserved for it (see
	// Engine.Advance); nil is DefaultHeadTimeout. With 0 a StrictFIFO queue keeps nothing beyond its own quota.
	HeadTimeout *time.Duration
	Stop        StopPolicy
	// Admits reports whether applications of a namespace with these labels may use the queue; nil admits none. Only
	// the queue that is named in the ask counts, not those above it. Admits must not keep or change the map and must
	// depend on nothing else.
	Admits func(labels map[string]string) bool
	// NamesNamespaces reports whether the selector requires namespaces to have certain labels: it neither admits all
	// of them, nor admits one because a label is absent.
	NamesNamespaces bool
	// SelectorText is the namespace selector as people write it, for messages.
	SelectorText string
	// Deleted is a queue that is being deleted: it counts as absent, except that what it still holds weighs on its
	// parent.
	Deleted bool
}

// FlavorQuota is the quota in one class of nodes.
type FlavorQuota struct {
	Name   string
	Quotas []ResourceQuota
}

// ResourceQuota is the quota of one resource, in the units of queueing.Resources (see package amounts). Negative
// numbers count as 0, quota.Unlimited means no limit.
type ResourceQuota struct {
	Resource string
	Nominal  int64
	// Borrowing bounds what may be used above the quota of this queue and its children; nil means no bound.
	Borrowing *int64
	// Lending bounds what others may use of it; nil is all.
	Lending *int64
}

// configuration is the queues that exist, sorted, and the parents of those that are being deleted.
type configuration struct {
	live    []QueueConfig
	deleted map[string]string
}

func newConfiguration(queues []QueueConfig) *configuration {
	c := &configuration{deleted: map[string]string{}}
	for _, q := range queues {
		switch {
		case q.Name == "":
		case q.Deleted:
			c.deleted[q.Name] = q.Parent
		default:
			c.live = append(c.live, q)
		}
	}
	slices.SortStableFunc(c.live, func(a, b QueueConfig) int { return strings.Compare(a.Name, b.Name) })
	c.live = slices.CompactFunc(c.live, func(a, b QueueConfig) bool { return a.Name == b.Name })
	return c
}

// find returns the configuration of a queue that exists, or nil.
func (c *configuration) find(name string) *QueueConfig {
	at, found := slices.BinarySearchFunc(c.live, name, func(q QueueConfig, name string) int { return strings.Compare(q.Name, name) })
	if !found {
		return nil
	}
	return &c.live[at]
}

func (c *configuration) nodes() []quota.Node {
	nodes := make([]quota.Node, 0, len(c.live))
	for _, q := range c.live {
		n := quota.Node{Name: q.Name, Parent: q.Parent}
		for _, f := range q.Flavors {
			for _, r := range f.Quotas {
				n.Limits = append(n.Limits, quota.Limits{
					Cell:    quota.Cell{Flavor: f.Name, Resource: r.Resource},
					Nominal: r.Nominal, Borrowing: orUnlimited(r.Borrowing), Lending: orUnlimited(r.Lending),
				})
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}

// limited returns the roots of the trees in which some queue has a quota: a resource that one queue of a tree names
// is limited in all of them. What deleted queues still hold does not count.
func (c *configuration) limited() map[string]bool {
	out := map[string]bool{}
	for _, q := range c.live {
		if slices.ContainsFunc(q.Flavors, func(f FlavorQuota) bool { return len(f.Quotas) > 0 }) {
			out[c.root(q.Name)] = true
		}
	}
	return out
}

// unlimited reports whether the root of a tree says that the tree needs no quota.
func (c *configuration) unlimited(root string) bool {
	q := c.find(root)
	return q != nil && q.Unlimited
}

// root returns the name of the uppermost queue that exists above one; of queues in a circle any.
func (c *configuration) root(name string) string {
	for range c.live {
		q := c.find(name)
		if q == nil || c.find(q.Parent) == nil {
			break
		}
		name = q.Parent
	}
	return name
}

func orUnlimited(limit *int64) int64 {
	if limit == nil {
		return quota.Unlimited
	}
	return *limit
}

func (c *QueueConfig) stopped() bool { return c.Stop == StopHold || c.Stop == StopHoldAndDrain }

// flavorNames returns nil for a queue without flavors.
func (c *QueueConfig) flavorNames() []string {
	var names []string
	for _, f := range c.Flavors {
		names = append(names, f.Name)
	}
	return names
}

func (p Policy) set() bool { return p != "" && p != PreemptNever }

// any reports whether the policies allow any preemption.
func (p Preemption) any() bool { return p.Within.set() || p.Reclaim.set() || p.Borrow.set() }

// active reports whether the policies may find targets at all, given whether there is something to reclaim.
func (p Preemption) active(quotaToReclaim bool) bool {
	return p.Within.set() || quotaToReclaim && (p.Reclaim.set() || p.Borrow.set())
}
