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

// noteBlocked records since when the application has been unable to start.
func noteBlocked(st *state) {
	if st.s.Times.Blocked == nil {
		st.s.Times.Blocked = st.nowPtr()
	}
}

// takePlace sets the place in the queue of the planned start.
func takePlace(st *state, start *Start) {
	now, queued, blocked := st.now().Time, st.s.Times.Queued, st.s.Times.Blocked
	switch {
	case queued == nil:
		st.s.Times.Queued = st.nowPtr()
	// The clock was set back, which must not move an application ahead.
	case queued.After(now):
	case anotherAsk(st):
		st.s.Times.Queued = st.nowPtr()
	case blocked != nil:
		later := queued.Add(max(0, now.Sub(blocked.Time)))
		if later.After(now) {
			later = now
		}
		st.s.Times.Queued = &metav1.Time{Time: later}
	}
	// Where onTemplateChange is Ignore, nothing else updates the hash.
	if !st.o.SameTemplate {
		st.s.TemplateHash = st.o.Plan.Hash
	}
	st.s.Times.Blocked = nil
	st.s.Queue, st.s.Ask = st.o.Plan.Queue, convert.AskToAPI(st.o.Plan.Gate, st.o.Plan.PodSets)
	start.QueuedAt = st.s.Times.Queued.Time
}

// placeMoved reports whether the place in the queue differs from the published one.
func placeMoved(st *state) bool { return !st.s.Times.Queued.Equal(st.o.App.Status.Times.Queued) }

// anotherAsk reports whether the application asks for something other than when it took its place.
func anotherAsk(st *state) bool {
	before, now := st.s.Ask, st.o.Plan
	if before == nil || st.o.App.Status.Run != st.s.Run {
		return false // A new run has just taken its place.
	}
	elsewhere := st.s.Queue != now.Queue || before.Gate != now.Gate
	if !st.o.SameTemplate || elsewhere || len(before.PodSets) != len(now.PodSets) {
		return true
	}
	return asksForMore(st, before, now)
}

// asksForMore reports whether the planned pod sets, which are as many as in before, count as a new ask.
func asksForMore(st *state, before *v1alpha1.Ask, now *Plan) bool {
	d := convert.CompareAsks(before, convert.AskToAPI(now.Gate, now.PodSets))
	// An ask that could never be admitted has not waited in the queue, so any change makes a new ask of it.
	return d.More && mayBeByUser(st) || d.Flavors || d.Any && st.was.Blocked()
}

// mayBeByUser reports whether the user may have changed the ask. A change that comes from the namespace or from another
// version of the operator does not move the application back.
func mayBeByUser(st *state) bool {
	app := st.o.App
	return app.Generation != app.Status.ObservedGeneration || app.Spec.SparkConfigMap != "" || len(app.Spec.SparkConfFrom) > 0
}
