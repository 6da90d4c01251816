// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// Executors of a gated grant are made by Spark and wait behind a scheduling gate. The grant has room for a number of them in each flavor:
// the base gang, and sets above it that come and go. A pass counts the pods on either side of the gate, tells the queue how many are
// wanted, writes down what the grant is from now on, and only then lifts gates and gives back:
//
//	gated pods ──► want ──► the queue's answer ──► status.grant ──► settle ──► lift gates, oldest first
//	pods gone, or asked back ──────────────────► status.grant, less ──► settle: the queue may give it to others

// reclaiming is the reason of the event that tells that executors above the base gang end because others take their room.
const reclaiming = "ExecutorsReclaimed"

// shrinkInterval bounds how often a grant is written that only becomes smaller: executors go one by one.
const shrinkInterval = time.Second

// elastic owns the grant of an attempt while it grows and shrinks.
type elastic struct {
	*state
	*draft
}

// want is what the attempt wants above its base gang: room for all pods that are there and fit.
func (el elastic) want() queueing.Want {
	c := newCrew(el.state)
	w := queueing.Want{PodSet: v1alpha1.ExecutorPodSet, Count: int32(len(c.gated)) - c.base.Count, Ready: map[string]int32{}}
	for flavor, stay := range c.stay {
		w.Count += c.shares(stay)
		for _, r := range stay {
			if r.Ready {
				w.Ready[flavor]++
			}
		}
	}
	w.Count = max(0, w.Count)
	if len(c.gated) > 0 {
		w.Tolerations, w.NodeSelector = c.gated[0].Gate.Tolerations, c.gated[0].Gate.NodeSelector
	}
	return w
}

// allocate decides which grant is to stand in the status, which gates it lifts, and which executors end because others take their room.
// It says whether the grant has changed.
func (el elastic) allocate() bool {
	if !el.mayGrow() || el.o.Room == nil || el.o.Room.Grant == nil {
		return false
	}
	c := newCrew(el.state)
	s := sharing{crew: c, grant: *el.o.Room.Grant, room: el.o.Room}
	s.grant.PodSets = slices.Clone(s.grant.PodSets)
	s.takeOver()
	s.lift()
	s.giveBack()
	next := convert.ToAPI(s.grant)
	changed := !sameGrant(next, el.s.Grant)
	if due := el.o.LastWrite.Add(shrinkInterval); changed && onlySmaller(next, el.s.Grant) && len(el.o.Room.GiveBack) == 0 && el.o.Now.Before(due) {
		el.requeue(due)
		changed = false
	}
	if changed {
		el.s.Grant = next
	}
	el.after(Action{Kind: SettleGrant})
	if len(s.releases) > 0 {
		el.after(Action{Kind: ReleasePods, Releases: s.releases})
	}
	el.scaleDown(s.ending)
	return changed
}

// scaleDown asks executors to end whose room others take.
func (el elastic) scaleDown(ending []*pods.Record) {
	for _, r := range ending {
		el.after(Action{Kind: DeletePod, Pod: r})
	}
	if len(ending) == 0 {
		return
	}
	el.announce(false, reclaiming, fmt.Sprintf("%d executors above the base gang release their quota: %s",
		len(ending), el.o.Room.GiveBack[0].Why.Message))
}

func sameGrant(a, b *v1alpha1.Grant) bool {
	return a.Resizes == b.Resizes && slices.EqualFunc(a.PodSets, b.PodSets, sameSet)
}

func sameSet(a, b v1alpha1.PodSetGrant) bool {
	return a.Name == b.Name && a.Flavor == b.Flavor && a.Count == b.Count && a.Elastic == b.Elastic
}

// onlySmaller says that no set of a grant has become larger.
func onlySmaller(next, before *v1alpha1.Grant) bool {
	if next.Resizes != before.Resizes {
		return false
	}
	for _, p := range next.PodSets {
		same := func(q v1alpha1.PodSetGrant) bool {
			return q.Name == p.Name && q.Flavor == p.Flavor && q.Elastic == p.Elastic && q.Count >= p.Count
		}
		if !slices.ContainsFunc(before.PodSets, same) {
			return false
		}
	}
	return true
}
