// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/internal/job/lifecycle"
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// Sightings records what this process has observed about an application and what no object stores.
type Sightings struct {
	// ended is the attempt whose driver was seen to have ended, and endSeen when it was first seen.
	ended   lifecycle.AttemptID
	endSeen time.Time
	// driver is the pod of the attempt driverOf after its end.
	driverOf lifecycle.AttemptID
	driver   *pods.Record
	// fewerSeen is since when fewer executors are ready than the status says; zero if there are not fewer.
	fewerSeen time.Time
	// goneSeen is since when no executors are seen, though there were some; zero if there are any.
	goneSeen time.Time
	// peak is the maximum number of executors of attempt peakOf that were ready at the same time.
	peakOf lifecycle.AttemptID
	peak   lifecycle.ReadyPeak
	// activity is what the driver of the attempt activityOf last said it does.
	activityOf lifecycle.AttemptID
	activity   lifecycle.Activity
	// priority is the last known value of the application's PriorityClass; nil if this process has not seen it.
	priority *int32
}

// Priority records the current priority of the application, and returns the last one recorded. If current is nil and
// none was recorded, it returns the priority at admission: a running application keeps its priority when its
// PriorityClass is deleted.
func (s *Sightings) Priority(current *int32, admitted int32) int32 {
	if current != nil {
		s.priority = current
	}
	return ptr.Deref(s.priority, admitted)
}

// EndSince returns when this process first saw that the driver of an attempt has ended, which is now on the first call.
func (s *Sightings) EndSince(attempt lifecycle.AttemptID, now time.Time) time.Time {
	if s.ended != attempt {
		s.ended, s.endSeen = attempt, now
	}
	return s.endSeen
}

// EndedDriver returns the driver of an attempt as this process saw it after its end, which is now if it is seen; nil if
// it was not seen.
func (s *Sightings) EndedDriver(attempt lifecycle.AttemptID, seen *pods.Record) *pods.Record {
	if seen != nil || s.driverOf != attempt {
		s.driverOf, s.driver = attempt, seen
	}
	return s.driver
}

// Activity returns what the driver of an attempt last said it does.
func (s *Sightings) Activity(attempt lifecycle.AttemptID) lifecycle.Activity {
	if s.activityOf != attempt {
		return lifecycle.Activity{}
	}
	return s.activity
}

// NoteActivity records what the driver of an attempt says it does. If it does not answer, the last answer stays.
func (s *Sightings) NoteActivity(attempt lifecycle.AttemptID, said lifecycle.Activity) {
	if said.Problem != "" {
		said.Busy = s.Activity(attempt).Busy
	}
	said.NoteIdle(s.Activity(attempt))
	s.activityOf, s.activity = attempt, said
}

// FewerSince returns since when this process has seen fewer executors ready than the status says, or zero if there are
// not fewer.
func (s *Sightings) FewerSince(fewer bool, now time.Time) time.Time {
	return since(&s.fewerSeen, fewer, now)
}

// GoneSince returns since when this process has seen no executors of an attempt that had some, or zero if there are any.
func (s *Sightings) GoneSince(gone bool, now time.Time) time.Time {
	return since(&s.goneSeen, gone, now)
}

// since returns when something was first seen to hold, without a gap.
func since(first *time.Time, holds bool, now time.Time) time.Time {
	switch {
	case !holds:
		*first = time.Time{}
	case first.IsZero():
		*first = now
	}
	return *first
}

// ReadyPeak returns the maximum number of executors of an attempt that this process has seen ready at the same time,
// including now.
func (s *Sightings) ReadyPeak(attempt lifecycle.AttemptID, ready int32, now time.Time) lifecycle.ReadyPeak {
	if s.peakOf != attempt {
		s.peakOf, s.peak = attempt, lifecycle.ReadyPeak{}
	}
	if ready > s.peak.Count {
		s.peak = lifecycle.ReadyPeak{Count: ready, Since: now}
	}
	return s.peak
}

// Warning is the last warning event about a driver pod that does not start, valid for a short time: many things wake an
// application while its driver starts.
type Warning struct {
	pod   types.UID
	text  string
	until time.Time
}

// Of returns the warning about a pod, if it is known and still valid.
func (w *Warning) Of(pod types.UID, now time.Time) (text string, valid bool) {
	return w.text, w.pod == pod && now.Before(w.until)
}

// Note records the warning about a pod; an empty text means that there is none.
func (w *Warning) Note(pod types.UID, text string, until time.Time) { *w = Warning{pod, text, until} }
