// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
	"github.com/sparkgate/sparkgate/queueing"
)

// event is one thing that may happen; it returns false if it cannot happen now.
type event func(w *world, r *rand.Rand) bool

var events = []event{
	func(w *world, _ *rand.Rand) bool { // the kubelet starts the driver
		d := w.liveDriver()
		if d == nil || d.Running || d.Deleting {
			return false
		}
		w.now = w.now.Add(time.Second)
		w.set(d.Name, func(p *pods.Record) { p.Phase, p.Running, p.Ready, p.Scheduled = "Running", true, true, true }, "runs")
		return true
	},
	func(w *world, r *rand.Rand) bool { // the driver ends
		d := w.liveDriver()
		if d == nil || !d.Running {
			return false
		}
		code := int32(r.IntN(2))
		w.set(d.Name, func(p *pods.Record) {
			p.Phase, p.Running, p.Ended = "Succeeded", false, &pods.Ended{ExitCode: code}
			if code != 0 {
				p.Phase = "Failed"
			}
		}, fmt.Sprintf("exits with %d", code))
		return true
	},
	func(w *world, r *rand.Rand) bool { // Spark makes an executor, which the kubelet may start
		d := w.liveDriver()
		if d == nil || !d.Running || w.app == nil || !w.current(d) {
			return false
		}
		w.executor(fmt.Sprintf("%s-exec-%d", d.Name, r.IntN(3)), r.IntN(2) == 0)
		return true
	},
	func(w *world, _ *rand.Rand) bool { // an executor ends on its own
		for _, name := range w.podNames() {
			if w.pods[name].Role == pods.Executor {
				w.ended(name)
				return true
			}
		}
		return false
	},
	func(w *world, _ *rand.Rand) bool { // the kubelet ends what was asked to end
		for _, name := range w.podNames() {
			if w.pods[name].Deleting {
				w.ended(name)
				return true
			}
		}
		return false
	},
	func(w *world, r *rand.Rand) bool { // a user deletes the driver, rarely
		d := w.liveDriver()
		if d == nil || r.IntN(10) > 0 {
			return false
		}
		if w.app != nil && (w.app.Status.Driver == nil || w.app.Status.Driver.UID != d.UID) {
			return false // an unrecorded driver may be created again, which is not an error; see the movie
		}
		w.ended(d.Name)
		return true
	},
	func(w *world, _ *rand.Rand) bool { return w.deletesEnded() }, // a user deletes a driver that has ended
	func(w *world, r *rand.Rand) bool { // a user changes the labels of the driver, rarely
		d := w.liveDriver()
		if d == nil || w.app == nil || w.app.Status.Driver == nil || w.app.Status.Driver.UID != d.UID || r.IntN(10) > 0 {
			return false // one that was not recorded is waited for until timeouts.driverStart
		}
		w.logf("user: changes the labels of %s", d.Name)
		w.stray[d.UID] = true
		return true
	},
	func(w *world, r *rand.Rand) bool { // a user deletes a pod, and gives it all the time that there is
		for _, name := range w.podNames() {
			p := w.pods[name]
			recorded := p.Role != pods.Driver || w.app != nil && w.app.Status.Driver != nil && w.app.Status.Driver.UID == p.UID
			if p.Running && !p.Deleting && recorded && r.IntN(4) == 0 {
				w.endless(name)
				return true
			}
		}
		return false
	},
	func(w *world, _ *rand.Rand) bool {
		return w.user("suspends", func(s *v1alpha1.SparkApplicationSpec) { s.Suspend = true })
	},
	func(w *world, _ *rand.Rand) bool {
		return w.user("resumes", func(s *v1alpha1.SparkApplicationSpec) { s.Suspend = false })
	},
	func(w *world, r *rand.Rand) bool {
		return w.user("edits", func(s *v1alpha1.SparkApplicationSpec) { s.RunID = fmt.Sprint(r.IntN(3)) })
	},
	func(w *world, r *rand.Rand) bool {
		policies := []v1alpha1.TemplateChangePolicy{"", v1alpha1.TemplateChangeRestart, v1alpha1.TemplateChangeIgnore}
		return w.user("sets the policy", func(s *v1alpha1.SparkApplicationSpec) { s.OnTemplateChange = policies[r.IntN(3)] })
	},
	func(w *world, r *rand.Rand) bool {
		some := func() *v1alpha1.Duration {
			if r.IntN(2) == 0 {
				return nil
			}
			return &v1alpha1.Duration{Duration: time.Duration(r.IntN(600)) * time.Second}
		}
		return w.user("sets timeouts", func(s *v1alpha1.SparkApplicationSpec) {
			s.Timeouts = &v1alpha1.Timeouts{Admission: some(), DriverStart: some(), ExecutorStart: some(), Run: some(), Total: some(), Termination: some()}
		})
	},
	func(w *world, r *rand.Rand) bool {
		types := []v1alpha1.RestartPolicyType{v1alpha1.RestartNever, v1alpha1.RestartOnFailure, v1alpha1.RestartOnInfrastructureFailure, v1alpha1.RestartAlways}
		return w.user("sets the restart policy", func(s *v1alpha1.SparkApplicationSpec) {
			s.RestartPolicy = &v1alpha1.RestartPolicy{Type: types[r.IntN(4)], MaxAttempts: ptr.To(1 + r.Int32N(4)), ResetAfter: seconds(r.IntN(1000))}
		})
	},
	func(w *world, r *rand.Rand) bool {
		policies := []v1alpha1.RetentionPolicy{v1alpha1.RetentionAlways, v1alpha1.RetentionOnFailure, v1alpha1.RetentionNever}
		return w.user("sets retention and readyWhen", func(s *v1alpha1.SparkApplicationSpec) {
			s.Retention = &v1alpha1.Retention{Policy: policies[r.IntN(3)], Duration: seconds(r.IntN(1000))}
			s.ReadyWhen = []v1alpha1.ReadyWhen{v1alpha1.ReadyWhenSucceeded, v1alpha1.ReadyWhenRunning}[r.IntN(2)]
		})
	},
	func(w *world, r *rand.Rand) bool {
		token := fmt.Sprint(r.IntN(1000))
		if w.app != nil && w.app.DeletionTimestamp.IsZero() {
			w.app.Annotations = map[string]string{"reconcile.fluxcd.io/requestedAt": token, "reconcile.fluxcd.io/forceAt": token}
		}
		return w.app != nil
	},
	func(w *world, r *rand.Rand) bool {
		if w.app == nil || r.IntN(20) > 0 || !w.app.DeletionTimestamp.IsZero() {
			return false
		}
		w.remove()
		return true
	},
	func(w *world, r *rand.Rand) bool { // the queue fills and empties
		w.room = []queueing.State{queueing.Granted, queueing.Waiting, queueing.Refused, queueing.Undecided}[r.IntN(4)]
		return true
	},
	func(w *world, r *rand.Rand) bool { // the gate wants the quota back
		if w.granted == nil || w.wanted != nil {
			return false
		}
		w.frank = r.IntN(2) == 0
		w.wants(queueing.ReasonPreempted, "queue team-b takes its quota back")
		return true
	},
	func(w *world, _ *rand.Rand) bool { // and changes its mind
		if w.wanted == nil {
			return false
		}
		w.logf("gate: lets run %d attempt %d go on", w.granted.Run, w.granted.Attempt)
		w.wanted = nil
		return true
	},
	func(w *world, _ *rand.Rand) bool { // the queue is drained, or opened again
		w.drained = !w.drained
		switch {
		case w.drained && w.granted != nil && w.wanted == nil:
			w.wants(queueing.ReasonQueueHeld, "queue team-a is drained")
		case !w.drained && w.wanted != nil && w.wanted.Reason == queueing.ReasonQueueHeld:
			w.wanted = nil
		}
		return true
	},
	func(w *world, r *rand.Rand) bool { // references and mistakes come and go
		w.missing, w.mistake = "", ""
		switch r.IntN(4) {
		case 0:
			w.missing = "ServiceAccount is missing"
		case 1:
			w.mistake = "spec is wrong"
		}
		return true
	},
	func(w *world, r *rand.Rand) bool { // time passes
		w.now = w.now.Add(time.Duration(r.IntN(400)) * time.Second)
		return true
	},
	func(w *world, r *rand.Rand) bool { // the inputs of drivers change
		w.inputs = fmt.Sprint(r.IntN(3))
		return true
	},
	func(w *world, r *rand.Rand) bool { // rules for pods come and go
		w.rejection = ""
		if r.IntN(2) == 0 {
			w.rejection = "the API server refuses the driver"
		}
		return true
	},
	func(w *world, _ *rand.Rand) bool { // the watch stops showing what happens
		w.lagging = maps.Clone(w.pods)
		return true
	},
	func(w *world, _ *rand.Rand) bool { // and catches up
		w.lagging = nil
		return true
	},
	func(w *world, r *rand.Rand) bool { // the operator crashes somewhere in its next pass, and starts with a fresh view
		w.budget = r.IntN(6)
		w.pass()
		w.budget, w.lagging = -1, nil
		clear(w.endSeen)
		w.memory.forget()
		w.restarted()
		w.gateRestarts(r)
		w.logf("operator: crashed and restarted")
		return true
	},
	func(w *world, r *rand.Rand) bool { // the clock is set
		by := time.Duration(r.IntN(6000)-3000) * time.Second
		if w.app == nil || r.IntN(4) > 0 {
			return false
		}
		if ended := lastOf(&w.app.Status).FinishedAt; ended != nil && w.now.Add(by+DefaultFailedRetention).Before(ended.Time) {
			return false // what is kept would stay longer than the end of the schedule
		}
		w.setClock(by)
		return true
	},
}

// gateRestarts makes the gate know what it would know after a restart together with the operator: it may have forgotten
// what it wanted back, and a grant that has left the status before it was released.
func (w *world) gateRestarts(r *rand.Rand) {
	if r.IntN(2) == 0 {
		w.wanted = nil
	}
	if w.app == nil || w.granted == nil || r.IntN(2) == 0 {
		return
	}
	if s := &w.app.Status; s.Grant == nil && (s.Run != w.granted.Run || s.Attempt != w.granted.Attempt) {
		w.granted, w.wanted = nil, nil
	}
}

func (w *world) current(p *pods.Record) bool {
	return p.Run == w.app.Status.Run && p.Attempt == w.app.Status.Attempt
}

func (w *world) liveDriver() *pods.Record {
	for _, name := range w.podNames() {
		if p := w.pods[name]; p.Role == pods.Driver && p.Active() {
			return p
		}
	}
	return nil
}

// podNames are sorted, so that a seed gives the same schedule each time.
func (w *world) podNames() []string { return slices.Sorted(maps.Keys(w.pods)) }

func (w *world) set(name string, change func(*pods.Record), what string) {
	w.logf("kubelet: %s %s", name, what)
	w.change(name, change)
}

func (w *world) user(what string, change func(*v1alpha1.SparkApplicationSpec)) bool {
	if w.app == nil || !w.app.DeletionTimestamp.IsZero() {
		return false
	}
	w.edit(what, func(a *v1alpha1.SparkApplication) { change(&a.Spec) })
	return true
}

// TestNothingGoesWrongInAnyOrder plays random schedules of users, kubelet, queue and crashes. The promises hold after
// every pass, and wherever a schedule ends, an application that is left alone comes to an end and holds nothing.
func TestNothingGoesWrongInAnyOrder(t *testing.T) {
	preempted := 0
	played := randtest.Each(t, 2000, func(seed uint64) { preempted += playSchedule(t, seed) })
	if preempted < played/10 {
		t.Errorf("only %d attempts were preempted in %d schedules", preempted, played)
	}
}

// playSchedule plays one schedule, and returns how many attempts were preempted.
func playSchedule(t *testing.T, seed uint64) int {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // a schedule has to be replayable, not secret
	w := newWorld(t)
	w.memory.on = seed%2 == 1
	for range 40 {
		events[r.IntN(len(events))](w, r)
		if r.IntN(3) > 0 {
			w.pass()
		}
	}
	w.comesToRest()
	for attempt, n := range w.created {
		if n > 1 {
			t.Fatalf("attempt %s had %d drivers\n%s", attempt, n, w.story())
		}
	}
	return w.preempted
}

// comesToRest runs kubelet and operator alone, with quota in the queue and without further faults; the gate still wants
// what it wants back.
func (w *world) comesToRest() {
	w.t.Helper()
	w.room, w.drained, w.missing, w.mistake, w.lagging, w.budget = queueing.Granted, false, "", "", nil, -1
	w.user("resumes", func(s *v1alpha1.SparkApplicationSpec) {
		s.Suspend, s.RestartPolicy = false, nil
	})
	for range 60 {
		if w.pass(); w.rests() {
			break
		}
		w.now = w.now.Add(time.Second)
		if w.app != nil && w.app.Status.Times.Retry != nil {
			w.now = w.app.Status.Times.Retry.Time
		}
		for _, name := range w.podNames() {
			switch p := w.pods[name]; {
			case p.Deleting:
				w.ended(name)
			case p.Phase == "Pending":
				w.set(name, func(p *pods.Record) { p.Phase, p.Running = "Running", true }, "runs")
			case p.Running:
				w.set(name, func(p *pods.Record) { p.Phase, p.Running, p.Ended = "Succeeded", false, &pods.Ended{} }, "exits with 0")
			}
		}
	}
	if w.granted != nil {
		w.t.Fatalf("the gate still holds run %d attempt %d\n%s", w.granted.Run, w.granted.Attempt, w.story())
	}
	if w.app == nil {
		return
	}
	if !w.app.DeletionTimestamp.IsZero() {
		w.t.Fatalf("the application does not go\n%s", w.story())
	}
	w.endsWell()
	w.now = w.now.Add(2 * DefaultFailedRetention)
	for range 3 {
		w.removeEnded()
		w.pass()
	}
	w.nothingKept()
}

// nothingKept checks that nothing is left of attempts whose retention is over. Executors are deleted with their driver.
func (w *world) nothingKept() {
	w.t.Helper()
	for _, name := range w.podNames() {
		if w.pods[name].Role == pods.Driver {
			w.t.Fatalf("%s is kept for ever\n%s", name, w.story())
		}
	}
	if len(w.objects) > 0 {
		w.t.Fatalf("objects are kept for ever: %v\n%s", w.objects, w.story())
	}
}

// removeEnded removes deleted pods whose containers have ended, however long they may take.
func (w *world) removeEnded() {
	for _, name := range w.podNames() {
		if p := w.pods[name]; p.Deleting && !p.Active() {
			w.ended(name)
		}
	}
}

// rests reports whether nothing happens any longer, except that kept objects expire.
func (w *world) rests() bool {
	return w.granted == nil && w.liveDriver() == nil && (w.app == nil || w.app.DeletionTimestamp.IsZero() && w.app.Status.Times.Finished != nil)
}

// endsWell checks that the application has ended and holds nothing.
func (w *world) endsWell() {
	w.t.Helper()
	finished := false
	for _, c := range w.app.Status.Conditions {
		finished = finished || (c.Type == v1alpha1.FinishedCondition && c.Status == metav1.ConditionTrue)
	}
	if !finished || w.app.Status.Grant != nil {
		w.t.Fatalf("the application does not end\n%s", w.story())
	}
}
