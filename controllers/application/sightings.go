// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// sightings records what this process has observed about applications and what no object stores. It is safe for
// concurrent use.
type sightings struct{ perApp[sighting] }

// sighting is what was observed of one application.
type sighting struct {
	// ended is the attempt whose driver was seen to have ended, and endSeen when it was first seen.
	ended   attempt
	endSeen time.Time
	// driver is the pod of the attempt driverOf after its end.
	driverOf attempt
	driver   *pods.Record
	// fewerSeen is since when fewer executors are ready than the status says; zero if there are not fewer.
	fewerSeen time.Time
	// peak is the maximum number of executors of attempt peakOf that were ready at the same time.
	peakOf attempt
	peak   lifecycle.ReadyPeak
	// priority is the last known value of the application's PriorityClass; nil if this process has not seen it.
	priority *int32
}

func newSightings() *sightings { return &sightings{newPerApp[sighting]()} }

// priority records the current priority of an application, and returns the last one recorded. If current is nil and
// none was recorded, it returns the priority at admission: a running application keeps its priority when its
// PriorityClass is deleted.
func (s *sightings) priority(obj client.Object, current *int32, admitted int32) int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	if current != nil {
		r.priority = current
	}
	return ptr.Deref(r.priority, admitted)
}

// endSince returns when this process first saw that the driver of an attempt has ended, which is now on the first call.
func (s *sightings) endSince(obj client.Object, a attempt, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	if r.ended != a {
		r.ended, r.endSeen = a, now
	}
	return r.endSeen
}

// endedDriver returns the driver of an attempt as this process saw it after its end, which is now if it is seen; nil if it was not seen.
func (s *sightings) endedDriver(obj client.Object, a attempt, seen *pods.Record) *pods.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	if seen != nil || r.driverOf != a {
		r.driverOf, r.driver = a, seen
	}
	return r.driver
}

// fewerSince returns since when this process has seen fewer executors ready than the status says, or zero if there are
// not fewer.
func (s *sightings) fewerSince(obj client.Object, fewer bool, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	switch {
	case !fewer:
		r.fewerSeen = time.Time{}
	case r.fewerSeen.IsZero():
		r.fewerSeen = now
	}
	return r.fewerSeen
}

// readyPeak returns the maximum number of executors of an attempt that this process has seen ready at the same time,
// including now.
func (s *sightings) readyPeak(obj client.Object, a attempt, ready int32, now time.Time) lifecycle.ReadyPeak {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	if r.peakOf != a {
		r.peakOf, r.peak = a, lifecycle.ReadyPeak{}
	}
	if ready > r.peak.Count {
		r.peak = lifecycle.ReadyPeak{Count: ready, Since: now}
	}
	return r.peak
}
