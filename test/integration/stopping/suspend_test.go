// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestBornSuspended: the application asks for nothing until it is resumed.
func TestBornSuspended(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi", suspend)
	w.Reach(app, "Suspended")
	if app.Status.Run != 0 || len(app.Finalizers) > 0 {
		t.Errorf("want no run and no finalizer: %s", harness.Show(app))
	}
	admitted(t, w, 0, 0)
	harness.Change(t, app, resume)
	w.Succeed(app)
	if app.Status.Run != 1 || app.Status.Attempt != 1 || app.Status.Resumes != 0 {
		t.Errorf("want run 1, attempt 1: %s", harness.Show(app))
	}
}

// TestSuspendWhileQueued: the application leaves the queue, and comes back as the attempt that never started.
func TestSuspendWhileQueued(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	first := w.Apply("first")
	driver := w.Run(first)
	app := w.Apply("pi")
	w.Reach(app, "Queued")
	admitted(t, w, 1, 1)
	harness.Change(t, app, suspend)
	w.Reach(app, "Suspended")
	admitted(t, w, 1, 0)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(first, "Succeeded")
	admitted(t, w, 0, 0)
	if harness.Eventually(t, app, "held", harness.InStage("Suspended")); app.Status.Run != 1 || len(app.Status.Attempts) != 0 {
		t.Errorf("want run 1 without an attempt: %s", harness.Show(app))
	}
	harness.Change(t, app, resume)
	w.Succeed(app)
	if app.Status.Run != 1 || app.Status.Attempt != 1 || app.Status.Resumes != 0 {
		t.Errorf("want run 1, attempt 1: %s", harness.Show(app))
	}
}

// TestSuspendWhileRunning: the driver is stopped gracefully, the quota goes to the next one; resumed, the application queues again
// behind those that waited meanwhile and runs as a new attempt, which is not a failure.
func TestSuspendWhileRunning(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	app := w.Apply("pi")
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	next := w.Apply("next")
	w.Reach(next, "Queued")
	harness.Change(t, app, suspend)
	w.Reach(app, "Suspended")
	driver := w.Run(next)
	last := w.Apply("last")
	w.Reach(last, "Queued")
	harness.Change(t, app, resume)
	w.Reach(app, "Queued")
	if app.Status.Times.Queued.Before(last.Status.Times.Queued) {
		t.Errorf("in line since %s, before one that waits since %s", app.Status.Times.Queued, last.Status.Times.Queued)
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.SucceedAll(app, last)
	if diff := cmp.Diff([]int64{1, 2, 1, 0}, []int64{app.Status.Run, app.Status.Attempt, int64(app.Status.Resumes), int64(app.Status.Failures)}); diff != "" {
		t.Errorf("run, attempt, resumes, failures (-want +got):\n%s", diff)
	}
	if first := app.Status.Attempts[0]; first.Outcome != "Stopped" || first.Reason != "Suspended" || first.Cause != "" {
		t.Errorf("first attempt: %+v", first)
	}
	w.Unused()
}

// TestSuspendBeforeItRuns: there is a grant but no running driver yet.
func TestSuspendBeforeItRuns(t *testing.T) {
	t.Parallel()
	for name, until := range map[string]func(*testing.T, *harness.World) *v1alpha1.SparkApplication{
		"no driver yet": func(t *testing.T, w *harness.World) *v1alpha1.SparkApplication { return blocked(t, w, "pi") },
		"driver not placed yet": func(t *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi")
			w.Driver(app)
			w.Reach(app, "Starting")
			return app
		},
		"image on its way": func(t *testing.T, w *harness.World) *v1alpha1.SparkApplication {
			app := w.Apply("pi")
			w.Kubelet.Wait(t.Context(), w.Driver(app), "ContainerCreating", "")
			w.Reach(app, "Starting")
			return app
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", nil)
			operator.Use(t)
			app := until(t, w)
			harness.Change(t, app, suspend)
			w.Reach(app, "Suspended")
			nothingMade(t, w)
			w.Unused()
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Suspend, a.Spec.Driver.PodName = false, "" })
			w.Succeed(app)
			w.Unused()
		})
	}
}

// TestResumeWhileStopping: the attempt that is being stopped ends first; then the application continues.
func TestResumeWhileStopping(t *testing.T) {
	t.Parallel()
	var hold atomic.Bool
	hold.Store(true)
	w := harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }})
	w.History.MemoryLimit = 3 << 30
	operator.Use(t)
	app := w.Apply("pi")
	w.Run(app)
	harness.Change(t, app, suspend)
	w.Reach(app, "Finalizing")
	admitted(t, w, 1, 0)
	harness.Change(t, app, resume)
	w.Reach(app, "Finalizing")
	hold.Store(false)
	harness.Eventually(t, app, "in attempt 2", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 })
	w.Succeed(app)
	if app.Status.Resumes != 1 {
		t.Errorf("want one resume: %s", harness.Show(app))
	}
	w.Unused()
}

// TestEditWhileSuspended: what was edited runs once it is resumed, not what was stopped.
func TestEditWhileSuspended(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", nil)
	operator.Use(t)
	app := w.Apply("pi")
	w.Run(app)
	harness.Change(t, app, suspend)
	w.Reach(app, "Suspended")
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"5"} })
	w.Reach(app, "Suspended")
	harness.Change(t, app, resume)
	w.Succeed(app)
	if app.Status.Run != 2 || app.Status.Attempt != 1 || len(w.Kubelet.Created(app.UID)) != 2 {
		t.Errorf("want run 2, attempt 1: %s", harness.Show(app))
	}
}

// TestSuspendAtTheEnd: the driver has ended while others of its pods go on. Suspending changes nothing about that end.
func TestSuspendAtTheEnd(t *testing.T) {
	t.Parallel()
	var hold atomic.Bool
	hold.Store(true)
	w := harness.NewWorld(t, "3Gi", &harness.Kubelet{Run: harness.Manual, Hold: func(*corev1.Pod) bool { return hold.Load() }})
	operator.Use(t)
	app := w.Apply("pi")
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 1)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Finalizing")
	harness.Change(t, app, suspend)
	hold.Store(false)
	w.Reach(app, "Succeeded")
	if len(app.Status.Attempts) != 1 || app.Status.Attempts[0].Outcome != "Succeeded" {
		t.Errorf("attempts: %+v", app.Status.Attempts)
	}
	w.Unused()
}
