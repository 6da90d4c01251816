// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"maps"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/queueing"
)

func init() { maps.Copy(movies, moviesOfAttempts) }

// retries sets the restart policy before the application is first seen.
func (w *world) retries(policy v1alpha1.RestartPolicyType, set ...func(*v1alpha1.RestartPolicy)) {
	w.app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: policy}
	for _, s := range set {
		s(w.app.Spec.RestartPolicy)
	}
}

// runsWithExecutors starts the driver and both executors.
func (w *world) runsWithExecutors() {
	w.runs()
	w.settle()
	w.executor(w.driverName()+"-exec-1", true)
	w.executor(w.driverName()+"-exec-2", true)
	w.settle()
}

// endsWithExecutors ends the driver and both executors.
func (w *world) endsWithExecutors(code int32) {
	delete(w.pods, w.driverName()+"-exec-1")
	delete(w.pods, w.driverName()+"-exec-2")
	w.exits(code, "")
	w.settle()
}

// moviesOfAttempts tell what follows an attempt, and what is kept of it.
var moviesOfAttempts = map[string]func(w *world){
	"fails-and-is-tried-again-until-no-attempt-is-left": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure, func(p *v1alpha1.RestartPolicy) {
			p.Backoff = &v1alpha1.Backoff{Initial: seconds(20), Max: seconds(30)}
		})
		w.settle()
		w.fails()
		w.nextLook()
		w.fails()
		w.nextLook()
		w.fails()
		for range 3 { // what was kept of each attempt goes an hour after its end
			w.nextLook()
		}
	},
	"fails-once": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.nextLook()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"only-infrastructure-is-tried-again": func(w *world) {
		w.retries(v1alpha1.RestartOnInfrastructureFailure)
		w.settle()
		w.runs()
		w.settle()
		w.ended(w.driverName()) // somebody has deleted it
		w.settle()
		w.nextLook()
		w.fails()
	},
	"a-mistake-is-not-tried-again": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.change(w.driverName(), func(p *pods.Record) { p.Waiting = pods.Waiting{Reason: "InvalidImageName", Image: "No:such"} })
		w.settle()
	},
	"runs-too-long-and-is-tried-again": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure, func(p *v1alpha1.RestartPolicy) { p.MaxAttempts = ptr.To[int32](2) })
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run = seconds(60) })
		w.settle()
		for range 2 {
			w.runs()
			w.settle()
			w.nextLook()
			w.ended(w.driverName())
			w.settle()
			if w.app.Status.Times.Retry != nil {
				w.nextLook()
			}
		}
	},
	"no-time-is-left-for-another-attempt": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Total = seconds(60) })
		w.settle()
		w.runs()
		w.settle()
		w.after(60 * time.Second)
		w.exits(1, "Error")
		w.settle()
	},
	"comes-to-the-end-of-the-line-after-a-failure": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.room = queueing.Waiting
		w.nextLook()
		w.logf("in line since %s", w.app.Status.Times.Queued.Sub(epoch))
		w.after(time.Minute)
		w.room = queueing.Granted
		w.settle()
		w.logf("in line since %s", w.app.Status.Times.Queued.Sub(epoch))
	},
	"suspended-in-the-pause": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.edit("suspends", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.edit("resumes", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = false })
		w.settle()
	},
	"new-template-in-the-pause": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"9"} })
		w.settle()
	},
	"new-template-waits-while-the-attempt-fails": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.runs()
		w.settle()
		w.edit("changes the arguments", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"9"} })
		w.settle()
		w.exits(1, "Error")
		w.settle()
	},
	"late-driver-while-the-next-run-waits": func(w *world) {
		w.settle()
		late := w.pods[w.driverName()]
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.room = queueing.Waiting
		w.edit("asks for another run", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "b" })
		w.settle()
		delete(w.pods, late.Name)
		late.UID, late.Phase, late.Running = "late", corev1.PodRunning, true
		w.pods[late.Name] = late
		w.logf("api server: %s is there again: an old request was late", late.Name)
		w.noGrant = true
		w.settle()
		w.ended(late.Name)
		w.noGrant = false
	},
	"invalid-template-is-taken-back-and-attempts-are-left": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.runs()
		w.settle()
		w.edit("makes a mistake", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = []string{"9"} })
		w.mistake = "spec is wrong"
		w.settle()
		w.exits(1, "Error")
		w.settle()
		w.edit("takes it back", func(a *v1alpha1.SparkApplication) { a.Spec.Arguments = nil })
		w.mistake = ""
		w.settle()
		w.nextLook()
	},
	"invalid-in-the-pause": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.mistake = "spec is wrong"
		w.nextLook()
		w.mistake = ""
		w.settle()
	},
	"streams-for-months": func(w *world) {
		w.retries(v1alpha1.RestartAlways)
		w.app.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
		w.settle()
		for range 5 { // more often than maxAttempts: each has run for long enough
			w.runsWithExecutors()
			w.after(DefaultResetAfter)
			w.endsWithExecutors(1)
			w.nextLook()
		}
		w.runsWithExecutors()
		w.endsWithExecutors(0)
		w.nextLook()
	},
	"ready-when-it-runs": func(w *world) {
		w.app.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
		w.settle()
		w.runs()
		w.settle()
		w.executor("pi-exec-1", true)
		w.settle()
		w.executor("pi-exec-2", true)
		w.settle()
		w.ended("pi-exec-2") // an executor that goes takes nothing back
		w.settle()
		w.ended("pi-exec-1")
		w.exits(0, "")
		w.settle()
	},
	"executors-do-not-start": func(w *world) {
		w.settle()
		for range 3 {
			w.runs()
			w.executor(w.driverName()+"-exec-1", true)
			w.executor(w.driverName()+"-exec-2", false)
			w.settle()
			w.nextLook() // the counts
			w.nextLook() // the timeout
			for _, name := range w.podNames() {
				w.ended(name)
			}
			w.settle()
			w.nextLook()
		}
		w.runsWithExecutors()
		w.endsWithExecutors(0)
	},
	"executors-do-not-start-and-there-is-no-queue": func(w *world) {
		w.gate = "None"
		w.retries(v1alpha1.RestartOnInfrastructureFailure, func(p *v1alpha1.RestartPolicy) { p.MaxAttempts = ptr.To[int32](2) })
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.ExecutorStart = seconds(60) })
		w.settle()
		for range 2 {
			w.runs()
			w.settle()
			w.nextLook()
			w.ended(w.driverName())
			w.settle()
			if w.app.Status.Times.Retry != nil {
				w.nextLook()
			}
		}
	},
	"executors-are-fewer-and-Spark-wants-no-more": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.ExecutorStart = seconds(60) })
		w.settle()
		w.runs()
		w.executor("pi-exec-1", true)
		w.settle()
		w.after(time.Hour)
		w.settle()
	},
	"kept-after-failure-only-and-succeeds": func(w *world) {
		w.app.Spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionOnFailure}
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"kept-after-failure-only-and-fails": func(w *world) {
		w.app.Spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionOnFailure, Duration: seconds(90)}
		w.settle()
		w.fails()
		w.nextLook()
	},
	"kept-never": func(w *world) {
		w.app.Spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionNever}
		w.settle()
		w.fails()
	},
	"kept-longer-than-was-first-asked": func(w *world) {
		w.settle()
		w.fails()
		w.edit("keeps it for two hours", func(a *v1alpha1.SparkApplication) { a.Spec.Retention = &v1alpha1.Retention{Duration: seconds(7200)} })
		w.after(DefaultRetention)
		w.settle()
		w.nextLook()
	},
	"runs-again-and-again": func(w *world) {
		w.settle()
		for i := range 3 {
			w.runs()
			w.settle()
			w.exits(0, "Completed")
			w.settle()
			w.after(20 * time.Minute)
			w.edit("asks for another run", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = string(rune('a' + i)) })
			w.settle()
		}
		w.nextLook() // an hour after the end of the first run
		w.nextLook()
	},
	"fixed-name-of-the-driver": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.app.Spec.Driver.PodName = "the-driver"
		w.settle()
		w.fails()
		w.nextLook()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.edit("asks for another run", func(a *v1alpha1.SparkApplication) { a.Spec.RunID = "b" })
		w.settle()
	},
	"does-not-outlive-its-end": func(w *world) {
		w.app.Spec.TTLAfterFinished = seconds(600)
		w.settle()
		w.fails()
		w.nextLook()
		w.settle()
	},
	"would-come-back-if-it-were-deleted": func(w *world) {
		w.app.Spec.TTLAfterFinished = seconds(600)
		w.app.Labels = map[string]string{"kustomize.toolkit.fluxcd.io/name": "jobs"}
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
		w.edit("removes the time to live", func(a *v1alpha1.SparkApplication) { a.Spec.TTLAfterFinished = nil })
		w.settle()
	},
}

func TestGrown(t *testing.T) {
	t.Parallel()
	const first, longest = 10 * time.Second, 5 * time.Minute
	for nth, want := range map[int32]time.Duration{0: first, 1: first, 2: 20 * time.Second, 5: 160 * time.Second, 6: longest, 1 << 30: longest} {
		if got := exponentialBackoff(first, 2, nth, longest); got != want {
			t.Errorf("pause %d is %s, want %s", nth, got, want)
		}
	}
	if got := exponentialBackoff(first, 1, 1000, longest); got != first {
		t.Errorf("with factor 1 the pause is %s, want %s", got, first)
	}
	if got := exponentialBackoff(time.Hour, 2, 1, longest); got != longest {
		t.Errorf("a first pause above the longest is %s, want %s", got, longest)
	}
}

// The pause of an attempt is never shorter than asked for, never longer by more than a tenth and a second, and the same each time.
func TestJitter(t *testing.T) {
	t.Parallel()
	seen := map[time.Duration]bool{}
	for attempt := range int64(100) {
		w := newWorld(t)
		w.app.Status.Attempt = attempt
		st := &state{o: Observation{Now: epoch, App: w.app}, s: w.app.Status}
		const pause = 100 * time.Second
		retries{st, history{st}}.pauseFor(pause)
		got := st.s.Times.Retry.Sub(epoch)
		if got < pause || got > pause+pause/jitterShare+time.Second {
			t.Errorf("a pause of %s became %s", pause, got)
		}
		seen[got] = true
	}
	if len(seen) < 5 {
		t.Errorf("100 attempts pause in %d ways only", len(seen))
	}
}
