// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// The place in the queue is a time, status.times.queued: when the application first asked with what it asks for now. It
// cannot be had in advance:
//
//   - an application that was never edited asks since it was created; any other since the operator has seen what it
//     asks for;
//   - time in which it could not have started does not count: its spec is invalid, or something that it names is
//     missing;
//   - one that was suspended asks anew when it is resumed, else a place could be reserved by suspending;
//   - another queue, gate or choice of flavors, or more of anything, is another ask; less of the same is not, for one
//     that waits in the queue.

// place owns the place in the queue: what the application asks for, where, and since when.
type place struct {
	*state
}

// noteBlocked records since when the application cannot start.
func (pl place) noteBlocked() {
	if pl.s.Times.Blocked == nil {
		pl.s.Times.Blocked = pl.nowPtr()
	}
}

// take sets the place in the queue of the planned start.
func (pl place) take(start *Start) {
	now, queued, blocked := pl.now().Time, pl.s.Times.Queued, pl.s.Times.Blocked
	switch {
	case queued == nil:
		pl.s.Times.Queued = pl.nowPtr()
	case queued.After(now): // the clock was set back, which moves no application ahead
	case pl.anotherAsk():
		pl.s.Times.Queued = pl.nowPtr()
	case blocked != nil:
		later := queued.Add(max(0, now.Sub(blocked.Time)))
		if later.After(now) {
			later = now
		}
		pl.s.Times.Queued = &metav1.Time{Time: later}
	}
	if !pl.o.SameTemplate { // updated here where onTemplateChange is Ignore
		pl.s.TemplateHash = pl.o.Plan.Hash
	}
	pl.s.Times.Blocked = nil
	pl.s.Queue, pl.s.Ask = pl.o.Plan.Queue, convert.AskToAPI(pl.o.Plan.Gate, pl.o.Plan.PodSets)
	start.QueuedAt = pl.s.Times.Queued.Time
}

// moved reports whether the place in the queue differs from the published one.
func (pl place) moved() bool { return !pl.s.Times.Queued.Equal(pl.o.App.Status.Times.Queued) }

// anotherAsk reports whether the application asks for something else than when it took its place.
func (pl place) anotherAsk() bool {
	before, now := pl.s.Ask, pl.o.Plan
	if before == nil || pl.o.App.Status.Run != pl.s.Run {
		return false // a new run has just taken its place
	}
	elsewhere := pl.s.Queue != now.Queue || before.Gate != now.Gate
	if !pl.o.SameTemplate || elsewhere || len(before.PodSets) != len(now.PodSets) {
		return true
	}
	return pl.asksForMore(before, now)
}

// asksForMore reports whether the pod sets, which are as many as before, are another ask.
func (pl place) asksForMore(before *v1alpha1.Ask, now *Plan) bool {
	d := convert.CompareAsks(before, convert.AskToAPI(now.Gate, now.PodSets))
	// What could never be admitted has not waited in the queue.
	return d.More && pl.byUser() || d.Flavors || d.Any && pl.was.Blocked()
}

// byUser reports whether a change of the ask may be the user's doing. Changes that come from the namespace or from
// another version of the operator do not move the application.
func (pl place) byUser() bool {
	app := pl.o.App
	return app.Generation != app.Status.ObservedGeneration || app.Spec.SparkConfigMap != "" || len(app.Spec.SparkConfFrom) > 0
}
