// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// state is what a decision is made from: what was observed, and the status as it will be written. Every part of the decision holds the same
// one, and changes the fields of the status that it names as its own.
type state struct {
	o    Observation
	was  status.Stage // the published stage
	s    v1alpha1.SparkApplicationStatus
	view status.View
	// timesReset reports whether times in the future were reset to now, which has to be written.
	timesReset bool
}

// draft is the decision while it is made.
type draft struct{ decision Decision }

func need(n Need, start Start) Decision { return Decision{Need: n, Start: start} }

// driver is the driver pod of the current attempt; nil if none is known. A pod that only looks like it is not ours.
func (st *state) driver() *pods.Record {
	if st.s.Driver == nil {
		return nil
	}
	for _, r := range st.o.Pods {
		if r.Role == pods.Driver && r.Name == st.s.Driver.PodName && r.OwnerUID == st.o.App.UID && st.current(r) &&
			(st.s.Driver.UID == "" || st.s.Driver.UID == r.UID) {
			return r
		}
	}
	return nil
}

// current says that a pod belongs to the current attempt.
func (st *state) current(r *pods.Record) bool { return r.Run == st.s.Run && r.Attempt == st.s.Attempt }

// submittingMessage is the message of Submitting while nothing is in the way.
func (st *state) submittingMessage() string {
	return fmt.Sprintf("run %d, attempt %d: creating driver pod %s", st.s.Run, st.s.Attempt, st.s.Driver.PodName)
}

func (d *draft) after(actions ...Action) { d.decision.After = append(d.decision.After, actions...) }

func (d *draft) before(actions ...Action) { d.decision.Before = append(d.decision.Before, actions...) }

// requeue asks for another look at t at the latest.
func (d *draft) requeue(t time.Time) {
	if d.decision.RequeueAt.IsZero() || t.Before(d.decision.RequeueAt) {
		d.decision.RequeueAt = t
	}
}

func (d *draft) announce(warning bool, reason, message string) {
	d.decision.Announce = append(d.decision.Announce, Announcement{Warning: warning, Reason: reason, Message: message})
}

// now is the time of the pass as it is stored: in whole seconds, so that an order by it is the same after a restart.
func (st *state) now() metav1.Time { return metav1.NewTime(st.o.Now.Truncate(time.Second)) }

func (st *state) nowPtr() *metav1.Time {
	now := st.now()
	return &now
}

// mayGrow says that the grant of the attempt may grow and shrink.
func (st *state) mayGrow() bool { return st.s.Grant != nil && st.s.Grant.Gated }

// currentPods are the pods of the current attempt.
func (st *state) currentPods() []*pods.Record {
	var mine []*pods.Record
	for _, r := range st.o.Pods {
		if st.current(r) {
			mine = append(mine, r)
		}
	}
	return mine
}

// queues says that the attempt holds room in a queue, to which it can go back.
func (st *state) queues() bool { return st.s.Grant != nil && catalog.Of(st.s.Grant.Gate).Queues }

// driverRuns says that the driver's container runs, also while it is being stopped.
func (st *state) driverRuns() bool {
	driver := st.driver()
	return driver != nil && driver.Running
}

// activePods are the pods that may still use a node.
func (st *state) activePods() []*pods.Record {
	var active []*pods.Record
	for _, r := range st.o.Pods {
		if r.Active() {
			active = append(active, r)
		}
	}
	return active
}

// neverEdited says that the application asks with the content that it was created with, and that nobody has looked at it before.
func (st *state) neverEdited() bool { return st.was == status.New && st.o.App.Generation == 1 }

// nextAttempt makes the status that of another attempt of the run, which has not asked for room yet. The place in the queue stays.
func (st *state) nextAttempt() {
	st.s.Attempt++
	st.s.Driver, st.s.Executors = nil, nil
	st.s.Times.Admitted, st.s.Times.DriverStarted, st.s.Times.ExecutorsReady = nil, nil, nil
	// It takes the spec as it is by then, so nothing of the spec is ignored or waits any more.
	st.view.Generation, st.view.TemplateIgnored = st.o.App.Generation, ""
}

// start is the start that the status says is planned.
func (st *state) start() Start {
	s := Start{Run: st.s.Run, Attempt: st.s.Attempt, QueuedAt: st.now().Time}
	if st.s.Times.Queued != nil {
		s.QueuedAt = st.s.Times.Queued.Time
	}
	return s
}

// timeouts are those of the spec.
func (st *state) timeouts() v1alpha1.Timeouts { return timeoutsOf(st.o.App) }

// ran is how long the drivers of earlier attempts of the run ran.
func (st *state) ran() time.Duration {
	if st.s.RunDuration == nil {
		return 0
	}
	return st.s.RunDuration.Duration
}
