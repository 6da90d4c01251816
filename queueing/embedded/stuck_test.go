// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/embedded/config"
)

// stands reports the state of a running application, whose priority is 0.
func (s *scene) stands(name string, terminating, stuck bool) {
	s.t.Helper()
	ask := s.jobs[name]
	s.engine.SetHolderState(ask.Key, ask.Run, ask.Attempt, queueing.HolderState{QueuedAt: ask.QueuedAt, Terminating: terminating, Stuck: stuck})
	s.engine.Cycle(0)
}

// twoBorrowers returns a scene in which x and y, the newer one, have borrowed from owner all that it has.
func twoBorrowers(t *testing.T) *scene {
	t.Helper()
	s := newScene(t, config.Queue{Name: "root"}, leaf("owner", 6, reclaimAny), leaf("other", 0, config.Preemption{}))
	s.comes("x", job{"other", 3, 0})
	s.comes("y", job{"other", 3, 0})
	s.want("both have borrowed", s.running(), "x", "y")
	return s
}

// TestStuckTarget: if a preempted application cannot end because its node does not answer, another one is preempted
// instead. Nothing waits for the first one any longer.
func TestStuckTarget(t *testing.T) {
	t.Parallel()
	s := twoBorrowers(t)
	s.comes("mine", job{"owner", 3, 0})
	s.want("the newer one has to go", s.displaced(), "y")
	s.stands("y", true, false)
	s.want("which is enough", s.displaced(), "y")
	s.stands("y", true, true)
	s.want("until it cannot", s.displaced(), "x", "y")
	s.ends("x")
	s.want("then the owner gets back what is its own", s.running(), "mine")
	s.comes("more", job{"owner", 3, 0})
	if got := says(s.engine.Verdict(s.jobs["more"].Key)); !strings.Contains(got, "others hold the rest") {
		t.Errorf("more: %s", got)
	}
	s.stands("y", true, false)
	if got := says(s.engine.Verdict(s.jobs["more"].Key)); !strings.Contains(got, "waiting for ns/y to release its quota") {
		t.Errorf("the node answers again, and more: %s", got)
	}
	s.ends("y")
	s.want("it has ended after all", s.running(), "mine", "more")
}

// TestStuckAnyway: an ask does not wait for an application that is terminating and cannot end.
func TestStuckAnyway(t *testing.T) {
	t.Parallel()
	s := twoBorrowers(t)
	s.stands("x", true, true)
	s.comes("mine", job{"owner", 3, 0})
	s.want("the other one has to go", s.displaced(), "y")
}

// TestStuckWhileItRuns: an application that could not end is not preempted.
func TestStuckWhileItRuns(t *testing.T) {
	t.Parallel()
	s := twoBorrowers(t)
	s.stands("y", false, true)
	s.comes("mine", job{"owner", 3, 0})
	s.want("although it is newer", s.displaced(), "x")
	s.ends("x")
	s.want("the owner has its quota", s.running(), "mine", "y")
}
