// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
	"github.com/sparkgate/sparkgate/queueing/quota"
)

// elasticPods counts the pods above the base gang of a grant.
func elasticPods(g queueing.Grant) int32 {
	var n int32
	for i := range g.PodSets {
		if g.PodSets[i].Elastic {
			n += g.PodSets[i].Count
		}
	}
	return n
}

// elasticPodsIn counts the pods above the base gang of a grant in one flavor.
func elasticPodsIn(g queueing.Grant, flavor string) int32 {
	var n int32
	for i := range g.PodSets {
		if p := &g.PodSets[i]; p.Elastic && p.Flavor == flavor {
			n += p.Count
		}
	}
	return n
}

// reclaimPending counts the pods in a flavor that must be released.
func (h *heldGrant) reclaimPending(flavor string) int32 {
	var n int32
	for _, d := range h.growth.reclaims {
		if d.flavor == flavor {
			n += d.count
		}
	}
	return n
}

// growingPodSet returns the base gang's pod set that is to grow, or nil if the grant has none of that name.
func (h *heldGrant) growingPodSet() *queueing.PodSetGrant {
	for i := range h.grant.PodSets {
		if p := &h.grant.PodSets[i]; p.Name == h.growth.want.PodSet && !p.Elastic {
			return p
		}
	}
	return nil
}

// withGrowth returns the grant with more pods in each flavor, which get a pod set of their own per flavor.
func withGrowth(g queueing.Grant, base *queueing.PodSetGrant, flavors []*config.Flavor, more []int32) queueing.Grant {
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

func (h *heldGrant) isFor(run, attempt int64) bool {
	return h.grant.Run == run && h.grant.Attempt == attempt
}

// charged returns what the grant charges to its queue. Pod sets without a flavor were not admitted but run, and are
// charged to the first flavor of the queue.
func (h *heldGrant) charged() []quota.Amount { return chargedAmounts(h.grant, h.queue.flavors[0]) }

// mustEnd reports whether the grant will be released, soon or, if it is stuck, at an unknown time.
func (h *heldGrant) mustEnd() bool { return h.standing.Terminating || h.eviction() != nil }

// isTerminating reports whether the grant will be released soon.
func (h *heldGrant) isTerminating() bool { return h.mustEnd() && !h.standing.Stuck }

// isReclaiming reports whether the holder will soon release pods above its base gang for others.
func (h *heldGrant) isReclaiming() bool { return len(h.growth.reclaims) > 0 && !h.standing.Stuck }

// eviction returns why the grant must be released, or nil if it may be kept.
func (h *heldGrant) eviction() *queueing.Eviction {
	if h.evicted != nil {
		return h.evicted
	}
	if d := h.queue.drainedBy; d != nil {
		return &queueing.Eviction{Reason: queueing.ReasonQueueHeld, Message: stopText(d, h.queue)}
	}
	return nil
}

// equalCounts reports whether two grants of one attempt charge the same.
func equalCounts(a, b queueing.Grant) bool {
	return slices.EqualFunc(a.PodSets, b.PodSets, func(a, b queueing.PodSetGrant) bool {
		return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
	})
}

func equalResizeRequests(a, b queueing.ResizeRequest) bool {
	sameToleration := func(a, b corev1.Toleration) bool { return a.MatchToleration(&b) }
	return a.PodSet == b.PodSet && a.Count == b.Count && slices.EqualFunc(a.Tolerations, b.Tolerations, sameToleration) &&
		maps.Equal(a.NodeSelector, b.NodeSelector)
}
