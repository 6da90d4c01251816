// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// checkLooks checks that no application can get stuck: every stage that waits for something which no watch reports has
// a time of the next pass, every end has its time, and the history is bounded. A gate that has not decided yet wakes
// the application itself.
func (w *world) checkLooks(d Decision) {
	w.t.Helper()
	stage, _ := status.StageOf(d.Status.Conditions)
	switch stage {
	case status.AttemptFailed, status.ReferenceNotFound, status.Submitting, status.Starting, status.Finalizing:
		if d.RequeueAt.IsZero() && w.room != queueing.Undecided && w.app != nil && w.app.DeletionTimestamp.IsZero() {
			w.t.Fatalf("%s, and nobody looks again\n%s", stage, w.story())
		}
	}
	if stage.Ended() && d.Status.Times.Finished == nil {
		w.t.Fatalf("%s without the time of the end\n%s", stage, w.story())
	}
	if n := len(d.Status.Attempts); n > v1alpha1.AttemptsKept {
		w.t.Fatalf("the history has %d attempts\n%s", n, w.story())
	}
}

func sizeOf(t *testing.T, s *v1alpha1.SparkApplicationStatus) int {
	t.Helper()
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return len(raw)
}

// TestExecutorsCostFewWritesAndLittleStatus: a thousand executors come within a minute, and go again.
func TestExecutorsCostFewWritesAndLittleStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runsWithExecutors()
	small, written, writes := sizeOf(t, &w.app.Status), w.now, 0
	const many = 1000
	for i := range many {
		w.after(time.Minute / many)
		w.executor(fmt.Sprintf("%s-exec-%d", w.driverName(), i+3), true)
		d := Decide(Observation{Now: w.now, App: w.app, SameTemplate: true, Pods: w.visible(), LastWrite: written})
		if d.Need != NeedNothing {
			t.Fatalf("a running driver needs %d", d.Need)
		}
		if !equality.Semantic.DeepEqual(w.app.Status, d.Status) {
			w.app.Status, written = d.Status, w.now
			writes++
		}
	}
	if most := int(time.Minute / DefaultExecutorInterval); writes == 0 || writes > most {
		t.Errorf("%d executors within a minute cost %d writes, want at most %d", many, writes, most)
	}
	if big := sizeOf(t, &w.app.Status); big > small+20 {
		t.Errorf("the status grew from %d to %d bytes", small, big)
	}
}

// TestExecutorsThatGoBeforeTheirDriverCostNoWrite: Spark deletes its executors moments before the driver ends; only
// those that are missing for longer are reported.
func TestExecutorsThatGoBeforeTheirDriverCostNoWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.settle()
	w.runsWithExecutors()
	before := w.app.Status.Executors
	if before.Ready == 0 {
		t.Fatal("no executor is ready")
	}
	for _, r := range w.visible() {
		if r.Role == pods.Executor {
			w.set(r.Name, func(p *pods.Record) { p.Deleting = true }, "is told to go")
		}
	}
	for after, want := range map[time.Duration]int32{0: before.Ready, endingDelay - 1: before.Ready, endingDelay: 0} {
		d := Decide(Observation{Now: w.now.Add(after), App: w.app, SameTemplate: true, Pods: w.visible(), LastWrite: w.now.Add(-time.Hour), ReadyDroppedSince: w.now})
		if d.Status.Executors.Ready != want {
			t.Errorf("%s after they went %d executors count as ready, want %d", after, d.Status.Executors.Ready, want)
		}
		if want > 0 && !d.RequeueAt.Equal(w.now.Add(endingDelay)) {
			t.Errorf("%s after they went the next look is at %s", after, d.RequeueAt)
		}
	}
}

// TestExecutorsOfASuccessAreNotFailed: they are gone or ended when the driver is, and nothing is guessed from that.
func TestExecutorsOfASuccessAreNotFailed(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w *world, executor string){
		"gone":                 func(w *world, executor string) { w.ended(executor) },
		"killed with its node": func(w *world, executor string) { w.set(executor, func(p *pods.Record) { p.Deleting = true }, "ends") },
		"succeeded": func(w *world, executor string) {
			w.set(executor, func(p *pods.Record) { p.Phase, p.Running = "Succeeded", false }, "ends")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.settle()
			w.runsWithExecutors()
			end(w, w.driverName()+"-exec-1")
			w.exits(0, "Completed")
			w.settle()
			w.after(endingDelay)
			w.settle()
			if e := w.app.Status.Executors; e.Failed != 0 {
				t.Errorf("%d executors failed\n%s", e.Failed, w.story())
			}
		})
	}
}

// TestHistoryIsBounded: a stream that ends again and again leaves the last attempts, and numbers that go on.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.retries(v1alpha1.RestartAlways)
	w.app.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
	w.settle()
	const times = 3 * v1alpha1.AttemptsKept
	for range times {
		w.runsWithExecutors()
		w.endsWithExecutors(0)
		w.nextLook()
	}
	attempts := w.app.Status.Attempts
	if len(attempts) != v1alpha1.AttemptsKept || attempts[v1alpha1.AttemptsKept-1].Attempt != times || w.app.Status.Attempt != times+1 {
		t.Errorf("attempt %d follows a history of %d that ends with %+v", w.app.Status.Attempt, len(attempts), lastOf(&w.app.Status))
	}
}
