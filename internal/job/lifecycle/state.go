// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// state is a decision in the making: the observation, the status as it will be written, and what has been decided so
// far. Each file changes only some fields of the status.
type state struct {
	o    Observation
	was  status.Stage // the published stage
	s    v1alpha1.SparkApplicationStatus
	view status.View
	// timesReset reports that times in the future were set to now, so the status has to be written.
	timesReset bool
	decision   Decision
}

// need returns the decision that n has to be observed first.
func need(n Need, start Start) Decision { return Decision{Need: n, Start: start} }

// driver returns the driver pod of the current attempt, nil if none is known. The name alone is not enough: labels,
// owner and, once it is recorded, the uid have to match.
func (st *state) driver() *pods.Record {
	for _, r := range st.o.Pods {
		if st.isDriver(r) {
			return r
		}
	}
	return nil
}

// isDriver reports whether a pod is the driver of the current attempt.
func (st *state) isDriver(r *pods.Record) bool {
	return st.s.Driver != nil && r.Role == pods.Driver && r.Name == st.s.Driver.PodName && r.OwnerUID == st.o.App.UID && st.current(r) &&
		(st.s.Driver.UID == "" || st.s.Driver.UID == r.UID)
}

// lastSeenDriver returns the driver pod of the current attempt, or the way this process saw it after its end if it is
// gone; nil if none is known.
func (st *state) lastSeenDriver() *pods.Record {
	if driver := st.driver(); driver != nil {
		return driver
	}
	if ended := st.o.EndedDriver; ended != nil && st.isDriver(ended) {
		return ended
	}
	return nil
}

// current reports whether the labels of a pod name the current attempt.
func (st *state) current(r *pods.Record) bool { return r.Run == st.s.Run && r.Attempt == st.s.Attempt }

// submittingMessage returns the message of Submitting while there is no obstacle.
func (st *state) submittingMessage() string {
	return fmt.Sprintf("run %d, attempt %d: creating driver pod %s", st.s.Run, st.s.Attempt, st.s.Driver.PodName)
}

// after adds actions to take after the status has been written.
func (st *state) after(actions ...Action) { st.decision.After = append(st.decision.After, actions...) }

// before adds actions to take before the status is written.
func (st *state) before(actions ...Action) {
	st.decision.Before = append(st.decision.Before, actions...)
}

// unchanged returns a decision that leaves the published status as it is.
func (st *state) unchanged() Decision {
	st.decision.Status = *st.o.App.Status.DeepCopy()
	return st.decision
}

// requeue asks for another look at t at the latest, unless t is zero.
func (st *state) requeue(t time.Time) {
	if !t.IsZero() && (st.decision.RequeueAt.IsZero() || t.Before(st.decision.RequeueAt)) {
		st.decision.RequeueAt = t
	}
}

// requeueAhead is requeue for those times that are not past.
func (st *state) requeueAhead(times ...time.Time) {
	for _, t := range times {
		if st.o.Now.Before(t) {
			st.requeue(t)
		}
	}
}

// event adds an event to record after the write.
func (st *state) event(warning bool, reason, message string) {
	st.decision.Events = append(st.decision.Events, Event{Warning: warning, Reason: reason, Message: message})
}

// now returns the time of the pass as it is stored, in whole seconds, so that an order by time is the same after a
// restart.
func (st *state) now() metav1.Time { return metav1.NewTime(st.o.Now.Truncate(time.Second)) }

func (st *state) nowPtr() *metav1.Time {
	now := st.now()
	return &now
}

// between returns a time, in seconds since 1970 by another clock, but not before the earliest one and not after now.
func (st *state) between(earliest *metav1.Time, seconds int64) *metav1.Time {
	at := metav1.Unix(seconds, 0)
	if earliest != nil && at.Before(earliest) {
		at = *earliest
	}
	if now := st.nowPtr(); now.Before(&at) {
		return now
	}
	return &at
}

// isElastic reports whether the grant of the attempt may grow and shrink.
func (st *state) isElastic() bool { return st.s.Grant != nil && st.s.Grant.Gated }

// driverOnly reports whether the attempt was granted no executors, because the driver runs the tasks itself.
func (st *state) driverOnly() bool { return st.s.Grant != nil && baseOf(st.s.Grant).Name == "" }

// currentPods returns the pods of the current attempt.
func (st *state) currentPods() []*pods.Record {
	var mine []*pods.Record
	for _, r := range st.o.Pods {
		if st.current(r) {
			mine = append(mine, r)
		}
	}
	return mine
}

// queues reports whether the grant of the attempt is quota of a queue, in which the run can wait again.
func (st *state) queues() bool { return st.s.Grant != nil && catalog.Of(st.s.Grant.Gate).Queues }

// driverRuns reports whether the driver's container runs, even if it is being stopped.
func (st *state) driverRuns() bool {
	driver := st.driver()
	return driver != nil && driver.Running
}

// activePods returns the pods of the application that may still use a node, of all attempts.
func (st *state) activePods() []*pods.Record {
	var active []*pods.Record
	for _, r := range st.o.Pods {
		if r.Active() {
			active = append(active, r)
		}
	}
	return active
}

// neverEdited reports whether the application is new and still has the content that it was created with.
func (st *state) neverEdited() bool { return st.was == status.New && st.o.App.Generation == 1 }

// nextAttempt plans another attempt of the run, which has not asked for quota yet and keeps its place in the queue.
func (st *state) nextAttempt() {
	st.s.Attempt++
	st.s.Driver, st.s.Executors = nil, nil
	st.s.Times.Admitted, st.s.Times.DriverStarted, st.s.Times.ExecutorsReady = nil, nil, nil
	// The attempt will use the spec of the time at which it starts, so no part of the spec is ignored or waits any
	// longer.
	st.view.Generation, st.view.TemplateIgnored = st.o.App.Generation, ""
}

// start returns the planned start according to the status.
func (st *state) start() Start {
	s := Start{Run: st.s.Run, Attempt: st.s.Attempt, QueuedAt: st.now().Time}
	if st.s.Times.Queued != nil {
		s.QueuedAt = st.s.Times.Queued.Time
	}
	return s
}

// timeouts returns spec.timeouts, empty if it is not set.
func (st *state) timeouts() v1alpha1.Timeouts { return timeoutsOf(st.o.App) }

// ran returns for how long the drivers of all earlier attempts of the run ran.
func (st *state) ran() time.Duration {
	if st.s.RunDuration == nil {
		return 0
	}
	return st.s.RunDuration.Duration
}

// timeoutsOf returns spec.timeouts, empty if it is not set.
func timeoutsOf(app *v1alpha1.SparkApplication) v1alpha1.Timeouts {
	if app.Spec.Timeouts == nil {
		return v1alpha1.Timeouts{}
	}
	return *app.Spec.Timeouts
}

// complete makes up for times and attempts that are missing in a status, so that no decision has to expect that: an
// operator always writes them, but another client may have removed them, or has written what could not be read.
func complete(st *state) {
	for i := range st.s.Attempts {
		if a := &st.s.Attempts[i]; a.FinishedAt == nil {
			a.FinishedAt = st.nowPtr()
		}
	}
	if len(st.s.Attempts) == 0 {
		st.s.Times.Retry = nil
	}
	if st.was.Active() && st.s.Times.Admitted == nil {
		st.s.Times.Admitted = st.nowPtr()
	}
}

// clockSkew is how much the clocks of two machines on which the operator runs, one after the other, may differ.
const clockSkew = time.Minute

// resetFutureTimes sets timestamps of the status that are in the future to now, and reports whether there were any,
// which means that the clock was set back. After that no deadline is further away than its timeout, and none is earlier
// than it was.
func resetFutureTimes(st *state) bool {
	t, back := &st.s.Times, false
	for _, at := range []**metav1.Time{&t.Waiting, &t.ReferenceMissing, &t.Admitted, &t.Started, &t.DriverStarted, &t.Stopping} {
		if *at != nil && (*at).After(st.o.Now.Add(clockSkew)) {
			*at, back = st.nowPtr(), true
		}
	}
	if pause := pauseAfterLast(st); t.Retry != nil && t.Retry.After(st.o.Now.Add(pause+pause/jitterShare+clockSkew)) {
		pauseFor(st, pause)
		back = true
	}
	return back
}
