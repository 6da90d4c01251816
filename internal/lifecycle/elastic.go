// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
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

// elastic changes the grant of an attempt whose grant may grow and shrink.
type elastic struct {
	*state
	*draft
}

// want returns the number of executors above the base gang for which the attempt needs quota: all that exist and fit
// the grant, gated or not.
func (el elastic) want() queueing.ResizeRequest {
	c := newExecutors(el.state)
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
	if len(c.gated) > 0 {
		w.Tolerations, w.NodeSelector = c.gated[0].SchedulingGate.Tolerations, c.gated[0].SchedulingGate.NodeSelector
	}
	return w
}

// allocate applies the gate's answer: it sets the grant in the status, ungates executors and evicts those whose quota
// is reclaimed. It reports whether the grant in the status has changed.
func (el elastic) allocate() bool {
	if !el.isElastic() || el.o.Allocation == nil || el.o.Allocation.Grant == nil {
		return false
	}
	c := newExecutors(el.state)
	al := allocation{executors: c, grant: *el.o.Allocation.Grant, current: el.o.Allocation}
	al.grant.PodSets = slices.Clone(al.grant.PodSets)
	al.chargeAdmitted()
	al.ungateFitting()
	al.shrink()
	next := convert.ToAPI(al.grant)
	changed := !convert.SameGrant(next, el.s.Grant)
	if due := el.o.LastWrite.Add(shrinkInterval); changed && convert.OnlySmaller(next, el.s.Grant) && len(el.o.Allocation.Reclaims) == 0 && el.o.Now.Before(due) {
		el.requeue(due)
		changed = false
	}
	if changed {
		el.s.Grant = next
	}
	el.after(Action{Kind: ReportGrant})
	if len(al.ungates) > 0 {
		el.after(Action{Kind: UngatePods, Ungates: al.ungates})
	}
	el.scaleDown(al.toEvict)
	return changed
}

// scaleDown deletes the executors in evicted and adds one event about them.
func (el elastic) scaleDown(evicted []*pods.Record) {
	for _, r := range evicted {
		el.after(Action{Kind: DeletePod, Pod: r})
	}
	if len(evicted) == 0 {
		return
	}
	el.event(false, reclaimedReason, fmt.Sprintf("%d executors above the base gang release their quota: %s",
		len(evicted), el.o.Allocation.Reclaims[0].Why.Message))
}
