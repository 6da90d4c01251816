// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// The place in the queue is a time, status.times.queued: when the application first asked for what it asks for now.
// These rules keep an application from getting a place earlier than it should have:
//
//   - an application that was never edited has asked since it was created, any other since the operator first saw what
//     it asks for;
//   - time in which it could not have started does not count, because its spec was invalid or an object that it
//     references was missing;
//   - a suspended application asks anew when it is resumed, or a place could be reserved by suspending;
//   - another queue, gate or choice of flavors, or more of any resource, is a new ask. Less of the same is not, for an
//     application that waits in the queue.

// place maintains the place in the queue: what the application asks for, in which queue, and since when.
type place struct {
	*state
}

// noteBlocked records since when the application has been unable to start.
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
	// The clock was set back, which must not move an application ahead.
	case queued.After(now):
	case pl.anotherAsk():
		pl.s.Times.Queued = pl.nowPtr()
	case blocked != nil:
		later := queued.Add(max(0, now.Sub(blocked.Time)))
		if later.After(now) {
			later = now
		}
		pl.s.Times.Queued = &metav1.Time{Time: later}
	}
	// Where onTemplateChange is Ignore, nothing else updates the hash.
	if !pl.o.SameTemplate {
		pl.s.TemplateHash = pl.o.Plan.Hash
	}
	pl.s.Times.Blocked = nil
	pl.s.Queue, pl.s.Ask = pl.o.Plan.Queue, convert.AskToAPI(pl.o.Plan.Gate, pl.o.Plan.PodSets)
	start.QueuedAt = pl.s.Times.Queued.Time
}

// moved reports whether the place in the queue differs from the published one.
func (pl place) moved() bool { return !pl.s.Times.Queued.Equal(pl.o.App.Status.Times.Queued) }

// anotherAsk reports whether the application asks for something other than when it took its place.
func (pl place) anotherAsk() bool {
	before, now := pl.s.Ask, pl.o.Plan
	if before == nil || pl.o.App.Status.Run != pl.s.Run {
		return false // A new run has just taken its place.
	}
	elsewhere := pl.s.Queue != now.Queue || before.Gate != now.Gate
	if !pl.o.SameTemplate || elsewhere || len(before.PodSets) != len(now.PodSets) {
		return true
	}
	return pl.asksForMore(before, now)
}

// asksForMore reports whether the planned pod sets, which are as many as in before, count as a new ask.
func (pl place) asksForMore(before *v1alpha1.Ask, now *Plan) bool {
	d := convert.CompareAsks(before, convert.AskToAPI(now.Gate, now.PodSets))
	// An ask that could never be admitted has not waited in the queue, so any change makes a new ask of it.
	return d.More && pl.byUser() || d.Flavors || d.Any && pl.was.Blocked()
}

// byUser reports whether the user may have changed the ask. A change that comes from the namespace or from another
// version of the operator does not move the application back.
func (pl place) byUser() bool {
	app := pl.o.App
	return app.Generation != app.Status.ObservedGeneration || app.Spec.SparkConfigMap != "" || len(app.Spec.SparkConfFrom) > 0
}
