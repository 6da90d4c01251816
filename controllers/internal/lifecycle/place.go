// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// The place in the queue is a time, status.times.queued: when the application first asked with what it asks for now. It cannot be had in
// advance:
//
//   - an application that was never edited asks since it was created; any other since the operator has seen what it asks for;
//   - time in which it could not have started does not count: its spec is invalid, or something that it names is missing;
//   - one that was suspended asks anew when it is resumed, else a place could be kept in store by suspending;
//   - another queue, gate or choice of flavors, or more of anything, is another ask; less of the same is not, for one that waits in line.

// neverEdited says that the application asks with the content that it was created with, and that nobody has looked at it before.
func (d *decider) neverEdited() bool { return d.was == status.New && d.o.App.Generation == 1 }

// block notes that the application cannot start for a while.
func (d *decider) block() {
	if d.s.Times.Blocked == nil {
		d.s.Times.Blocked = d.nowPtr()
	}
}

// takePlace says where in line the planned start stands.
func (d *decider) takePlace(start *Start) {
	now, queued, blocked := d.now().Time, d.s.Times.Queued, d.s.Times.Blocked
	switch {
	case queued == nil:
		d.s.Times.Queued = d.nowPtr()
	case queued.After(now): // the clock was set back, which moves nobody ahead
	case d.anotherAsk():
		d.s.Times.Queued = d.nowPtr()
	case blocked != nil:
		later := queued.Add(max(0, now.Sub(blocked.Time)))
		if later.After(now) {
			later = now
		}
		d.s.Times.Queued = &metav1.Time{Time: later}
	}
	if !d.o.SameTemplate { // it is taken over here where onTemplateChange is Ignore
		d.s.TemplateHash = d.o.Plan.Hash
	}
	d.s.Times.Blocked = nil
	d.s.Queue, d.s.Ask = d.o.Plan.Queue, convert.AskToAPI(d.o.Plan.Gate, d.o.Plan.PodSets)
	start.QueuedAt = d.s.Times.Queued.Time
}

// moved says that the place in line is not the published one.
func (d *decider) moved() bool { return !d.s.Times.Queued.Equal(d.o.App.Status.Times.Queued) }

// anotherAsk says that the application asks for something else than it did when it took its place.
func (d *decider) anotherAsk() bool {
	before, now := d.s.Ask, d.o.Plan
	if before == nil || d.o.App.Status.Run != d.s.Run {
		return false // a new run has just taken its place
	}
	elsewhere := d.s.Queue != now.Queue || string(before.Gate) != now.Gate
	if !d.o.SameTemplate || elsewhere || len(before.PodSets) != len(now.PodSets) {
		return true
	}
	return d.asksForMore(before, now)
}

// asksForMore says that the pod sets, as many as before, are another ask.
func (d *decider) asksForMore(before *v1alpha1.Ask, now *Plan) bool {
	next, changed := convert.AskToAPI(now.Gate, now.PodSets), false
	for i := range next.PodSets {
		a, b := &before.PodSets[i], &next.PodSets[i]
		more, differs := moreInSet(a, b)
		if more && d.byUser() || !slices.Equal(a.Flavors, b.Flavors) {
			return true
		}
		changed = changed || differs
	}
	// What could never be admitted has not waited in line.
	return changed && d.was.Blocked()
}

// byUser says that a change of what is asked for may be the user's doing. What comes from the namespace or the version of the operator moves
// nobody.
func (d *decider) byUser() bool {
	app := d.o.App
	return app.Generation != app.Status.ObservedGeneration || app.Spec.SparkConfigMap != "" || len(app.Spec.SparkConfFrom) > 0
}

// moreInSet says whether a pod set asks for more of anything than before, and whether for anything else.
func moreInSet(before, now *v1alpha1.PodSetAsk) (more, differs bool) {
	more = before.Name != now.Name || now.Count > before.Count || leastOf(now) > leastOf(before)
	differs = now.Count != before.Count || leastOf(now) != leastOf(before) || len(now.Requests) != len(before.Requests)
	for name, q := range now.Requests {
		c := q.Cmp(before.Requests[name])
		more, differs = more || c > 0, differs || c != 0
	}
	return more, more || differs
}

// leastOf is the number of pods with which a set can start.
func leastOf(p *v1alpha1.PodSetAsk) int32 {
	if p.MinCount > 0 && p.MinCount < p.Count {
		return p.MinCount
	}
	return p.Count
}
