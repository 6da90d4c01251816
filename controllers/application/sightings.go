// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"time"

	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/internal/lifecycle"
)

// sightings are observations of this process about applications that are stored in no object. Safe for concurrent use.
type sightings struct{ perApp[sighting] }

// sighting is what was seen of one application.
type sighting struct {
	// ended is the attempt whose driver was seen to have ended, and since when.
	ended   attempt
	endSeen time.Time
	// fewerSeen is since when fewer executors were ready than the status says.
	fewerSeen time.Time
	// peak is the most executors of the attempt peakOf that were ready together.
	peakOf attempt
	peak   lifecycle.ReadyPeak
	// priority is that of the PriorityClass when it existed last; nil if this process has not seen it.
	priority *int32
}

func newSightings() *sightings { return &sightings{newPerApp[sighting]()} }

// priority notes the current priority of an application. If it is not known, it returns the last that was known to this process, else
// admitted, with which the application was admitted: a running one keeps its priority although its PriorityClass was
// deleted.
func (s *sightings) priority(obj client.Object, current *int32, admitted int32) int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	if current != nil {
		r.priority = current
	}
	return ptr.Deref(r.priority, admitted)
}

// endSince returns when this process first saw that the driver of an attempt has ended: now, if it is the first time.
func (s *sightings) endSince(obj client.Object, a attempt, now time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.of(obj)
	if r.ended != a {
		r.ended, r.endSeen = a, now
	}
	return r.endSeen
}

// fewerSince returns since when this process saw that fewer executors are ready than the status says; zero if they are not.
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

// readyPeak returns the most executors of an attempt that this process has seen ready together, those that are ready now
// included.
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
