// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"math/rand/v2"
	"testing"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// parts of a status that another client may remove, or write so that they cannot be read.
var parts = map[string]func(*v1alpha1.SparkApplicationStatus){
	"ask":        func(s *v1alpha1.SparkApplicationStatus) { s.Ask = nil },
	"attempts":   func(s *v1alpha1.SparkApplicationStatus) { s.Attempts = nil },
	"conditions": func(s *v1alpha1.SparkApplicationStatus) { s.Conditions = nil },
	"driver":     func(s *v1alpha1.SparkApplicationStatus) { s.Driver = nil },
	"driver uid": func(s *v1alpha1.SparkApplicationStatus) {
		if s.Driver != nil {
			s.Driver.UID = ""
		}
	},
	"executors": func(s *v1alpha1.SparkApplicationStatus) { s.Executors = nil },
	"grant":     func(s *v1alpha1.SparkApplicationStatus) { s.Grant = nil },
	"stopping":  func(s *v1alpha1.SparkApplicationStatus) { s.Stopping = "" },
	"times":     func(s *v1alpha1.SparkApplicationStatus) { s.Times = v1alpha1.ApplicationTimes{} },
	"ends of attempts": func(s *v1alpha1.SparkApplicationStatus) {
		for i := range s.Attempts {
			s.Attempts[i].FinishedAt = nil
		}
	},
}

// TestIncompleteStatus: whatever is missing in a status, in any stage, there is a decision.
func TestIncompleteStatus(t *testing.T) {
	stages := map[status.Stage]bool{}
	randtest.Each(t, 250, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a schedule has to be replayable, not secret
		w := newWorld(t)
		for range 30 {
			events[r.IntN(len(events))](w, r)
			w.pass()
			if w.app == nil {
				return
			}
			stage, _ := status.StageOf(w.app.Status.Conditions)
			stages[stage] = true
			for name, remove := range parts {
				c := w.clone()
				remove(&c.app.Status)
				c.decidesWithout(name)
			}
		}
	})
	if !t.Failed() && len(stages) < 15 {
		t.Errorf("only %d stages were seen: the test shows little", len(stages))
	}
}

// decidesWithout makes a decision about a status without some part.
func (w *world) decidesWithout(part string) {
	w.t.Helper()
	defer func() {
		if why := recover(); why != nil {
			w.t.Fatalf("without %s: %v\n%s", part, why, w.story())
		}
	}()
	w.decide("")
}

// TestNoDriverInTheStatus: an attempt of which the status no longer says what its driver is comes to an end, and so do its pods.
func TestNoDriverInTheStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runsWithExecutors()
	w.app.Status.Driver = nil
	w.settle()
	for _, name := range w.podNames() {
		if !w.pods[name].Deleting {
			t.Errorf("%s is not asked to end", name)
		}
		w.ended(name)
	}
	w.settle()
	if last := lastOf(&w.app.Status); last.Reason != "DriverLost" || w.app.Status.Grant != nil || w.granted != nil {
		t.Errorf("ends with %+v\n%s", last, w.story())
	}
}
