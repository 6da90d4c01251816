// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"cmp"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/embedded/internal/placement"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// ElasticPods counts the pods above the base gang of a grant.
func ElasticPods(g queueing.Grant) int32 {
	var n int32
	for i := range g.PodSets {
		if g.PodSets[i].Elastic {
			n += g.PodSets[i].Count
		}
	}
	return n
}

// ElasticPodsIn counts the pods above the base gang of a grant in one flavor.
func ElasticPodsIn(g queueing.Grant, flavor string) int32 {
	var n int32
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Elastic && p.Flavor == flavor {
			n += p.Count
		}
	}
	return n
}

// Held is one grant that is charged.
type Held struct {
	Grant queueing.Grant
	Queue *Queue
	// Vector is what is charged to the node of queue, if it has one.
	Vector quota.Vector
	// Origin is the ask that was granted, for Revert; nil once the grant is confirmed.
	Origin *Ask
	// Standing is the state of the holder. StateKnown is false for a restored grant until SetHolderState is called.
	Standing   queueing.HolderState
	StateKnown bool
	// Since is when the grant was made or, for a restored one, first planned with; zero if that is not known.
	Since time.Time
	// Serial grows with every grant: the newest is preempted first.
	Serial uint64
	// Evicted is why the grant must be released. leaving is true if the grant counts in Queue.Held.leaving.
	Evicted *queueing.Eviction
	leaving bool
	// Growth is what a gated grant has and wants above its base gang.
	Growth growth
	// index is the index in Queue.Held.Holders.
	index int
}

// growth is what the holder of a gated grant has and wants above its base gang.
type growth struct {
	Want queueing.ResizeRequest
	// Before is the grant before it grew, until the growth is settled; else nil. The grant does not grow again before
	// that.
	Before *queueing.Grant
	// Reclaims are pods above the base gang that must be released, in the order of their claims.
	Reclaims []Reclaim
	// Blocked is the limit that blocked the last pod that was wanted.
	Blocked quota.Block
	// Message is why the holder does not have everything that it wants; empty if it does.
	Message string
}

// Reclaim is a number of pods above the base gang, in one flavor, that must be released for one ask.
type Reclaim struct {
	By       queueing.Key
	Flavor   string
	Count    int32
	Eviction queueing.Eviction
}

// ReclaimPending counts the pods in a flavor that must be released.
func (h *Held) ReclaimPending(flavor string) int32 {
	var n int32
	for _, d := range h.Growth.Reclaims {
		if d.Flavor == flavor {
			n += d.Count
		}
	}
	return n
}

// GrowingPodSet returns the base gang's pod set that is to grow, or nil if the grant has none of that name.
func (h *Held) GrowingPodSet() *queueing.PodSetGrant {
	for i := range h.Grant.PodSets {
		if p := &h.Grant.PodSets[i]; p.Name == h.Growth.Want.PodSet && !p.Elastic {
			return p
		}
	}
	return nil
}

// WithGrowth returns the grant with more pods in each flavor, which get a pod set of their own per flavor.
func WithGrowth(g queueing.Grant, base *queueing.PodSetGrant, flavors []*config.Flavor, more []int32) queueing.Grant {
	out := g
	out.Resizes++
	out.PodSets = slices.Clone(g.PodSets)
	for i, f := range flavors {
		if more[i] == 0 {
			continue
		}
		at := slices.IndexFunc(out.PodSets, func(p queueing.PodSetGrant) bool {
			return p.Elastic && p.Name == base.Name && p.Flavor == f.Name
		})
		if at < 0 {
			at = len(out.PodSets)
			out.PodSets = append(out.PodSets, queueing.PodSetGrant{Name: base.Name, Flavor: f.Name, Requests: base.Requests, Elastic: true})
		}
		set := &out.PodSets[at]
		set.Count += more[i]
		set.NodeSelector, set.Tolerations = f.NodeLabels, f.Tolerations // as the flavor is now; pods that are already placed stay
	}
	return out
}

// IsUnseen reports whether no caller of Cycle has seen the grant, so that nothing is lost if it is withdrawn.
func (h *Held) IsUnseen() bool { return h.Serial >= h.Queue.Tree.FirstUnseen }

// IsFor reports whether this is the grant of a run and attempt.
func (h *Held) IsFor(run, attempt int64) bool {
	return h.Grant.Run == run && h.Grant.Attempt == attempt
}

// Charged returns what the grant charges to its queue. Pod sets without a flavor were not admitted but run, and are
// charged to the first flavor of the queue.
func (h *Held) Charged() []quota.Amount { return placement.ChargedAmounts(h.Grant, h.Queue.Flavors[0]) }

// MustEnd reports whether the grant will be released, soon or, if it is stuck, at an unknown time.
func (h *Held) MustEnd() bool { return h.Standing.Terminating || h.Eviction() != nil }

// IsTerminating reports whether the grant will be released soon.
func (h *Held) IsTerminating() bool { return h.MustEnd() && !h.Standing.Stuck }

// IsReclaiming reports whether the holder will soon release pods above its base gang for others.
func (h *Held) IsReclaiming() bool { return len(h.Growth.Reclaims) > 0 && !h.Standing.Stuck }

// Eviction returns why the grant must be released, or nil if it may be kept.
func (h *Held) Eviction() *queueing.Eviction {
	if h.Evicted != nil {
		return h.Evicted
	}
	if d := h.Queue.DrainedBy; d != nil {
		return &queueing.Eviction{Reason: queueing.ReasonQueueHeld, Message: StopText(d, h.Queue)}
	}
	return nil
}

// EqualCounts reports whether two grants of one attempt charge the same.
func EqualCounts(a, b queueing.Grant) bool {
	return slices.EqualFunc(a.PodSets, b.PodSets, func(a, b queueing.PodSetGrant) bool {
		return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
	})
}

// EqualResizeRequests reports whether two requests want the same.
func EqualResizeRequests(a, b queueing.ResizeRequest) bool {
	sameToleration := func(a, b corev1.Toleration) bool { return a.MatchToleration(&b) }
	return a.PodSet == b.PodSet && a.Count == b.Count && slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration) &&
		maps.Equal(a.NodeSelector, b.NodeSelector)
}

// UpdateLeaving updates whether a holder counts as one that must release something.
func (h *Held) UpdateLeaving() {
	leaving := h.IsTerminating() || h.IsReclaiming()
	switch {
	case leaving && !h.leaving:
		h.Queue.Held.leaving++
	case !leaving && h.leaving:
		h.Queue.Held.leaving--
	}
	h.leaving = leaving
}

// countGrown adds n to the number of holders in the queue with pods above their base gangs, if this is one of them.
func (h *Held) countGrown(n int) {
	if ElasticPods(h.Grant) > 0 {
		h.Queue.Held.Grown += n
	}
}

// ranking holds the holders of one queue in the order in which they are kept: higher priority first, then older grants.
// The last one is preempted first.
type ranking []*Asker

func compareRanks(a, b *Asker) int {
	return cmp.Or(cmp.Compare(b.Held.Standing.Priority, a.Held.Standing.Priority), cmp.Compare(a.Held.Serial, b.Held.Serial))
}

func (r *ranking) insert(a *Asker) {
	at, _ := slices.BinarySearchFunc(*r, a, compareRanks)
	*r = slices.Insert(*r, at, a)
}

// remove removes an asker, whose priority must not have changed since it was inserted.
func (r *ranking) remove(a *Asker) {
	at, _ := slices.BinarySearchFunc(*r, a, compareRanks)
	*r = slices.Delete(*r, at, at+1)
}

// MayPreempt reports whether an ask of this priority may, by a policy within the queue, preempt any of the holders, or
// pods of them.
func (r ranking) MayPreempt(priority int32, within config.Policy) bool {
	if len(r) == 0 {
		return false
	}
	lowest := r[len(r)-1].Held.Standing.Priority
	return within == config.PreemptLowerPriority && lowest < priority || within == config.PreemptLowerOrNewerEqualPriority && lowest <= priority
}

// Decision is a new grant, or the growth of a grant.
type Decision struct {
	Key queueing.Key `json:"key"`
	// Grown is the number of pods by which an existing grant has grown; 0 for a new grant.
	Grown int32 `json:"grown,omitempty"`
	// Before is the grant before it grew; nil for a new grant.
	Before *queueing.Grant `json:"-"`
	// Root is the root of the tree that is charged. Its ledger must record the grant before the asker sees it.
	Root string `json:"root"`
	// Grant is the grant to record. Its pod sets are shared with the engine: do not modify them.
	Grant queueing.Grant `json:"grant"`
}

// GateName is the name of this gate in the API and in its grants.
const GateName = "Embedded"
