// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// The driver creates the executors of an elastic grant, and they wait behind a scheduling gate. In each flavor the
// grant has quota for a number of them: the base gang, and pod sets above it that grow and shrink. Each pass counts the
// pods before and after the scheduling gate, requests quota for them and writes the new grant. Only after that does it
// ungate pods and release quota:
//
//	gated pods ──► want ──► the queue's answer ──► status.grant ──► settle ──► ungate, oldest first
//	pods gone, or reclaimed ───────────────────► status.grant, less ──► settle: the queue may grant it to others

// reclaimedReason is the reason of the event about executors above the base gang that are ended because their quota is
// reclaimed.
const reclaimedReason = "ExecutorsReclaimed"

// shrinkInterval is the minimum time between two writes of a grant that only shrinks: executors usually go one by one,
// and their writes are merged.
const shrinkInterval = time.Second

// resizeRequest returns the number of executors above the base gang for which the attempt needs quota: all that exist
// and fit the grant, gated or not.
func resizeRequest(st *state) queueing.ResizeRequest {
	c := newExecutors(st)
	w := queueing.ResizeRequest{PodSet: v1alpha1.ExecutorPodSet, Count: int32(len(c.gated)) - c.base.Count, Ready: map[string]int32{}}
	for flavor, admitted := range c.admitted {
		w.Count += c.weights(admitted)
		for _, r := range admitted {
			if r.Ready {
				w.Ready[flavor]++
			}
		}
	}
	w.Count = max(0, w.Count)
	if !st.isElastic() {
		w.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} // the pods are on nodes already
	}
	if len(c.gated) > 0 {
		w.Tolerations, w.NodeSelector = c.gated[0].SchedulingGate.Tolerations, c.gated[0].SchedulingGate.NodeSelector
	}
	return w
}

// applyResize applies the gate's answer: it sets the grant in the status, ungates executors and evicts those whose
// quota is reclaimed or was not granted. It reports whether the grant in the status has changed, or the executors.
func applyResize(st *state) bool {
	if st.o.Allocation == nil || st.o.Allocation.Grant == nil {
		return false
	}
	c := newExecutors(st)
	dv := division{executors: c, grant: *st.o.Allocation.Grant, current: st.o.Allocation, used: st.o.Activity.Workers}
	dv.grant.PodSets = slices.Clone(dv.grant.PodSets)
	refused := false
	if st.isElastic() {
		dv.chargeAdmitted()
		dv.ungateFitting()
	} else {
		refused = dv.refuse(st)
	}
	dv.shrink()
	next := convert.ToAPI(dv.grant)
	changed := !convert.SameGrant(next, st.s.Grant)
	if due := st.o.LastWrite.Add(shrinkInterval); changed && convert.OnlySmaller(next, st.s.Grant) && len(st.o.Allocation.Reclaims) == 0 && st.o.Now.Before(due) {
		st.requeue(due)
		changed = false
	}
	if changed {
		st.s.Grant = next
	}
	st.after(Action{Kind: ReportGrant})
	if len(dv.ungates) > 0 {
		st.after(Action{Kind: UngatePods, Ungates: dv.ungates})
	}
	scaleDown(st, dv.toEvict)
	return changed || refused
}

// scaleDown deletes the executors in evicted and adds one event about them.
func scaleDown(st *state, evicted []*pods.Record) {
	for _, r := range evicted {
		st.after(Action{Kind: DeletePod, Pod: r})
	}
	if len(evicted) == 0 {
		return
	}
	st.event(false, reclaimedReason, fmt.Sprintf("executors above the base gang release their quota (%s): %s",
		podsInWords(evicted), st.o.Allocation.Reclaims[0].Why.Message))
}

// division divides the quota of an elastic grant among the executors that exist: it decides which gated executors are
// ungated, which are evicted, and what the grant is afterwards.
type division struct {
	executors
	current *queueing.Allocation
	// used are the workers of a cluster.
	used map[string]Worker
	// grant is the grant that will be written to the status.
	grant   queueing.Grant
	ungates []Ungate
	toEvict []*pods.Record
}

// granted returns the number of executors of a flavor that the grant has quota for. With onlyAbove it counts only the
// pod sets above the base gang.
func (dv *division) granted(flavor string, onlyAbove bool) int32 {
	var n int32
	for i := range dv.grant.PodSets {
		if p := &dv.grant.PodSets[i]; p.Name == v1alpha1.ExecutorPodSet && p.Flavor == flavor && (p.Elastic || !onlyAbove) {
			n += p.Count
		}
	}
	return n
}

// elasticSet returns the pod set of a flavor above the base gang, and adds it to the grant if there is none.
func (dv *division) elasticSet(flavor string) *queueing.PodSetGrant {
	for i := range dv.grant.PodSets {
		if p := &dv.grant.PodSets[i]; p.Elastic && p.Flavor == flavor {
			return p
		}
	}
	dv.grant.PodSets = append(dv.grant.PodSets, queueing.PodSetGrant{
		Name: v1alpha1.ExecutorPodSet, Flavor: flavor, Requests: amounts.ClampAll(dv.base.Requests), Elastic: true,
	})
	return &dv.grant.PodSets[len(dv.grant.PodSets)-1]
}

// chargeAdmitted adds quota to the grant for pods that have passed the scheduling gate without having any. Another
// actor, such as a user, must have ungated them.
func (dv *division) chargeAdmitted() {
	for _, flavor := range slices.Sorted(maps.Keys(dv.admittedCount)) {
		if more := dv.admittedCount[flavor] - dv.granted(flavor, false); more > 0 {
			dv.elasticSet(flavor).Count += more
		}
	}
}

// ungateFitting ungates the pods for which the grant has quota, oldest first: in the base gang, then in the pod sets
// above it. Quota that is being reclaimed is not used for it.
func (dv *division) ungateFitting() {
	waiting := dv.gated
	for i := range dv.grant.PodSets {
		p := &dv.grant.PodSets[i]
		if p.Name != v1alpha1.ExecutorPodSet {
			continue
		}
		for _, u := range dv.unanswered { // Repeats a write that got no response.
			if u.flavor == p.Flavor && !dv.isUngated(u.pod) {
				dv.ungate(u.pod, p)
			}
		}
		free := dv.granted(p.Flavor, false) - dv.current.ReclaimedIn(p.Flavor) - dv.admittedCount[p.Flavor]
		if !p.Elastic {
			free = min(free, p.Count)
		}
		for range min(max(0, free), int32(len(waiting))) {
			dv.ungate(waiting[0], p)
			dv.admittedCount[p.Flavor]++
			waiting = waiting[1:]
		}
	}
}

// isUngated reports whether this division already ungates the pod.
func (dv *division) isUngated(pod *pods.Record) bool {
	return slices.ContainsFunc(dv.ungates, func(r Ungate) bool { return r.Pod == pod })
}

// ungate adds a pod to those to ungate, with the flavor, node selector, tolerations and labels of the pod set.
func (dv *division) ungate(r *pods.Record, p *queueing.PodSetGrant) {
	dv.ungates = append(dv.ungates, Ungate{
		Pod: r, Flavor: p.Flavor, NodeSelector: p.NodeSelector, Tolerations: p.Tolerations, Labels: p.Labels,
	})
}

// shrink removes unused quota above the base gang from the grant, and chooses executors to evict if the gate reclaims
// quota that is in use.
func (dv *division) shrink() {
	for i := range dv.grant.PodSets {
		p := &dv.grant.PodSets[i]
		if !p.Elastic {
			continue
		}
		base := dv.granted(p.Flavor, false) - dv.granted(p.Flavor, true)
		most := base + p.Count - dv.current.ReclaimedIn(p.Flavor)
		p.Count = min(p.Count, max(0, dv.admittedCount[p.Flavor]-base))
		if dv.current.ReclaimedIn(p.Flavor) > 0 {
			dv.toEvict = append(dv.toEvict, dv.above(evictionOrder(dv.admitted[p.Flavor], dv.used), max(0, most))...)
		}
	}
	dv.grant.PodSets = slices.DeleteFunc(dv.grant.PodSets, func(p queueing.PodSetGrant) bool { return p.Elastic && p.Count == 0 })
}

// evictionOrder returns executors in the order in which they are evicted: those that are not ready, then, of the workers
// of a cluster, those that are not ALIVE and those with the fewest cores in use, then the newest. used are the workers by
// their addresses.
func evictionOrder(admitted []*pods.Record, used map[string]Worker) []*pods.Record {
	cores := func(r *pods.Record) int32 {
		if w, alive := used[r.Host]; alive {
			return w.Cores
		}
		return -1 // it may be ending already, which the watch has not shown
	}
	return slices.SortedFunc(slices.Values(admitted), func(a, b *pods.Record) int {
		switch {
		case a.Ready == b.Ready:
			return cmp.Or(cmp.Compare(cores(a), cores(b)), byAge(b, a))
		case b.Ready:
			return -1
		}
		return 1
	})
}
