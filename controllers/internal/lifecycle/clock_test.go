// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"maps"
	"math/rand/v2"
	"time"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

func init() {
	maps.Copy(movies, moviesOfTheClock)
	events = append(events, func(w *world, r *rand.Rand) bool { // somebody sets the clock
		by := time.Duration(r.IntN(6000)-3000) * time.Second
		if w.app == nil || r.IntN(4) > 0 {
			return false
		}
		if ended := lastOf(&w.app.Status).FinishedAt; ended != nil && w.now.Add(by+DefaultRetention).Before(ended.Time) {
			return false // what is kept would stay longer than the end of the schedule
		}
		w.setClock(by)
		return true
	})
}

// setClock sets the machine's clock ahead, or back.
func (w *world) setClock(by time.Duration) {
	w.logf("machine: its clock is set by %s", by)
	w.now = w.now.Add(by)
}

// clockStep is how far the clock of a movie is set.
const clockStep = 5 * time.Hour

// moviesOfTheClock tell what a clock does that is set ahead or back: nothing is lost, nothing runs twice, and nothing ends early, unless
// the clock jumped over its deadline.
var moviesOfTheClock = map[string]func(w *world){
	"clock-is-set-back-while-it-waits": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Admission = seconds(600) })
		w.room = queueing.Waiting
		w.settle()
		w.after(5 * time.Minute)
		w.setClock(-clockStep)
		w.settle()
		w.after(9 * time.Minute)
		w.settle()
		w.nextLook()
	},
	"clock-is-set-ahead-while-it-waits": func(w *world) {
		w.room = queueing.Waiting
		w.settle()
		w.setClock(clockStep)
		w.settle()
		w.logf("gate: has room")
		w.room = queueing.Granted
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"clock-is-set-back-while-the-driver-starts": func(w *world) {
		w.settle()
		w.setClock(-clockStep)
		w.settle()
		w.nextLook()
	},
	"clock-is-set-back-while-it-runs": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run, t.Total = seconds(3600), seconds(7200) })
		w.retries(v1alpha1.RestartOnFailure, func(p *v1alpha1.RestartPolicy) { p.MaxAttempts = ptr.To[int32](2) })
		w.settle()
		w.runsWithExecutors()
		w.after(30 * time.Minute)
		w.setClock(-clockStep)
		w.settle()
		w.after(59 * time.Minute)
		w.settle()
		w.nextLook()
		for _, name := range w.podNames() {
			w.ended(name)
		}
		w.settle()
		w.logf("the attempts ran for %s", w.app.Status.RunDuration.Duration)
		w.nextLook()
		w.runsWithExecutors()
		w.endsWithExecutors(0)
	},
	"clock-is-set-back-just-before-the-end": func(w *world) {
		w.settle()
		w.runsWithExecutors()
		w.after(time.Minute)
		w.setClock(-clockStep)
		w.endsWithExecutors(0) // before the operator has looked
	},
	"clock-is-set-ahead-while-it-runs": func(w *world) {
		w.settle()
		w.runsWithExecutors()
		w.setClock(clockStep)
		w.settle()
		w.endsWithExecutors(0)
	},
	"clock-jumps-over-timeouts-run": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run = seconds(3600) })
		w.settle()
		w.runsWithExecutors()
		w.setClock(clockStep)
		w.settle()
	},
	"clock-is-set-back-in-the-pause": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.setClock(-clockStep)
		w.settle()
		w.nextLook()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"clock-is-set-ahead-in-the-pause": func(w *world) {
		w.retries(v1alpha1.RestartOnFailure)
		w.settle()
		w.fails()
		w.setClock(clockStep)
		w.settle()
		w.runs()
		w.settle()
		w.exits(0, "Completed")
		w.settle()
	},
	"clock-is-set-back-while-it-stops": func(w *world) {
		w.settle()
		w.runs()
		w.settle()
		w.edit("suspends it", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
		w.settle()
		w.setClock(-clockStep)
		w.settle()
		w.nextLook()
	},
	"clock-is-set-back-after-the-end": func(w *world) {
		w.app.Spec.TTLAfterFinished = seconds(7200)
		w.settle()
		w.fails()
		w.setClock(-clockStep)
		w.settle()
		w.after(clockStep)
		w.settle()
		w.nextLook()
		w.nextLook()
	},
	"clocks-of-two-operators-differ-a-little": func(w *world) {
		w.app.Spec.Timeouts = timeouts(func(t *v1alpha1.Timeouts) { t.Run = seconds(60) })
		w.settle()
		w.runsWithExecutors()
		before := w.app.Status.DeepCopy()
		w.setClock(-30 * time.Second)
		w.settle()
		w.logf("the start is written again: %t", !before.Times.DriverStarted.Equal(w.app.Status.Times.DriverStarted))
		w.nextLook()
	},
}
