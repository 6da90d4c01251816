// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

const (
	// DefaultExecutorInterval bounds how often executor counts alone are written.
	DefaultExecutorInterval = 10 * time.Second
	// startingDelay is how long a driver may take to run before the stage Starting is written.
	startingDelay = 3 * time.Second
)

// active follows an attempt that holds its grant, from Submitting to the end of its driver.
func (d *decider) active() Decision {
	d.observeSpec()
	driver := d.driver()
	if driver != nil {
		if next, over := d.meet(driver); over {
			return next
		}
	} else if d.s.Driver.UID != "" {
		if !d.o.DriverAbsent {
			// The uid may have been recorded by another operator, and be newer than what this one's watch of pods has shown.
			return d.need(NeedDriverAbsent, d.start())
		}
		return d.attemptEnded(pods.Outcome{Reason: pods.ReasonDriverLost, Cause: v1alpha1.CauseInfrastructure,
			Message: fmt.Sprintf("driver pod %s is gone: a user or another controller deleted it", d.s.Driver.PodName)})
	}
	d.noteNode(driver)
	if at, reason, _ := d.runDeadline(); reason != "" {
		d.requeue(at)
	}
	if reason, message := d.stopReason(driver); reason != "" {
		if d.failsBy(reason) && d.logNeeded() {
			return d.need(NeedLogTail, d.start())
		}
		return d.stop(reason, message)
	}
	d.deleteStrays()
	switch {
	case driver == nil:
		return d.submitting()
	case driver.Running || d.was == status.Running:
		return d.running()
	}
	return d.starting(driver)
}

// meet takes in the driver pod as it is, and reports whether the attempt is over: it has ended, or is not what was granted.
func (d *decider) meet(driver *pods.Record) (next Decision, over bool) {
	beyond := d.beyondGrant(driver)
	if d.s.Driver.UID = driver.UID; beyond != "" {
		return d.stop(v1alpha1.StopInputsChanged, beyond), true
	}
	if outcome, ended := pods.DriverEnded(driver); ended {
		return d.attemptEnded(outcome), true
	}
	return Decision{}, false
}

// driver is the driver pod of the current attempt; nil if none is known. A pod that only looks like it is not ours.
func (d *decider) driver() *pods.Record {
	if d.s.Driver == nil {
		return nil
	}
	for _, r := range d.o.Pods {
		if r.Role == pods.Driver && r.Name == d.s.Driver.PodName && r.OwnerUID == d.o.App.UID && d.current(r) &&
			(d.s.Driver.UID == "" || d.s.Driver.UID == r.UID) {
			return r
		}
	}
	return nil
}

// current says that a pod belongs to the current attempt.
func (d *decider) current(r *pods.Record) bool { return r.Run == d.s.Run && r.Attempt == d.s.Attempt }

// stopReason says why the attempt has to be stopped; empty if it may go on.
func (d *decider) stopReason(driver *pods.Record) (v1alpha1.StopReason, string) {
	switch {
	case d.o.App.Spec.Suspend:
		return v1alpha1.StopSuspended, "stopping the driver: spec.suspend is true"
	case d.anotherRun() && d.templatePolicy() == v1alpha1.TemplateChangeRestart:
		return v1alpha1.StopTemplateChanged, "stopping the driver: another run is requested and onTemplateChange is Restart"
	case driver == nil && d.changed():
		return v1alpha1.StopTemplateChanged, "the run template changed before the driver was created"
	case driver != nil && pods.WhyNotStarted(driver).Permanent:
		return v1alpha1.StopDriverStart, pods.WhyNotStarted(driver).Message
	}
	return d.stopByOthers(driver)
}

// stopByOthers is stopReason for what others or the clock decide.
func (d *decider) stopByOthers(driver *pods.Record) (v1alpha1.StopReason, string) {
	switch {
	case d.takenByKueue(driver):
		return v1alpha1.StopKueueConflict, takenMessage(driver)
	case d.runOverdue():
		_, reason, message := d.runDeadline()
		return reason, message
	case d.o.Eviction != nil:
		return v1alpha1.StopPreempted, d.o.Eviction.Message
	}
	return d.overdueStart(driver)
}

// overdueStart says what of the start of the attempt has taken too long; empty if nothing has.
func (d *decider) overdueStart(driver *pods.Record) (v1alpha1.StopReason, string) {
	switch {
	case d.nodeOverdue(driver):
		return v1alpha1.StopAdmission, d.nodeMessage(driver)
	case d.driverStartOverdue(driver):
		return v1alpha1.StopDriverStart, d.driverStartMessage(driver)
	case d.executorStartOverdue():
		return v1alpha1.StopExecutorStart, d.executorStartMessage()
	}
	return "", ""
}

// runOverdue says that the attempt has run for as long as it may.
func (d *decider) runOverdue() bool {
	at, reason, _ := d.runDeadline()
	return reason != "" && !d.o.Now.Before(at)
}

// driverStartOverdue says that the driver should run by now and does not.
func (d *decider) driverStartOverdue(driver *pods.Record) bool {
	return d.was != status.Running && !d.queuedByScheduler(driver) && !d.driverStartDeadline().After(d.o.Now) && (driver == nil || !driver.Running)
}

func (d *decider) driverStartMessage(driver *pods.Record) string {
	why := "the driver pod was not created"
	switch {
	case driver == nil && d.was == status.Submitting && d.view.Message != d.creating():
		why = d.view.Message // the obstacle that Submitting shows
	case driver != nil:
		why = pods.WhyNotStarted(driver).Whole()
	}
	if why == "" {
		why = "the kubelet has not started its container; it may still pull the image or wait for a volume; see kubectl describe pod"
	}
	return fmt.Sprintf("driver did not run within timeouts.driverStart (%s): %s", d.driverStart(), why)
}

// submitting makes sure that the driver is created.
func (d *decider) submitting() Decision {
	if d.o.InputsChanged != "" {
		return d.replan()
	}
	d.requeueDriverStart()
	if d.o.Obstacle != "" {
		d.requeue(d.o.Now.Add(referenceInterval))
		return d.publish(status.Submitting, d.o.Obstacle)
	}
	d.after(Action{Kind: ConfirmGrant}, Action{Kind: CreateDriver})
	return d.publish(status.Submitting, d.view.Message) // an obstacle is shown until the driver exists
}

// creating is the message of Submitting while nothing is in the way.
func (d *decider) creating() string {
	return fmt.Sprintf("run %d, attempt %d: creating driver pod %s", d.s.Run, d.s.Attempt, d.s.Driver.PodName)
}

// starting waits for the driver's container.
func (d *decider) starting(driver *pods.Record) Decision {
	if d.queuedByScheduler(driver) {
		d.requeue(d.o.Now.Add(schedulerInterval))
	} else {
		d.requeueDriverStart()
	}
	message := fmt.Sprintf("driver pod %s is starting", driver.Name)
	if problem := pods.WhyNotStarted(driver); problem.Reason != "" {
		message = fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message)
	} else if due := d.o.App.Status.Times.Admitted.Add(startingDelay); d.was == status.Submitting && d.o.Now.Before(due) && !d.setBack {
		// Most drivers run within moments: their uid is recorded together with the stage Running, and one write is saved.
		d.requeue(due)
		d.d.Status = *d.o.App.Status.DeepCopy()
		return d.d
	}
	return d.publish(status.Starting, message)
}

// running follows the executors.
func (d *decider) running() Decision {
	if d.mayGrow() && d.o.Room == nil {
		next := d.need(NeedRoom, d.start())
		next.Want = d.want()
		return next
	}
	if d.s.Times.DriverStarted == nil {
		d.s.Times.DriverStarted = d.nowPtr()
		if d.s.Times.Started == nil {
			d.s.Times.Started = d.nowPtr()
		}
	}
	if d.o.UIAddress != "" {
		d.s.Driver.UIAddress = d.o.UIAddress
	}
	moved := d.shareOut()
	d.countExecutors(d.latchReady() || d.was != status.Running || moved)
	d.view.ReadyLatched = d.s.Times.ExecutorsReady != nil
	if at, reason, _ := d.runDeadline(); reason != "" {
		d.requeue(at)
	}
	if at := d.executorStartDeadline(); !at.IsZero() && d.o.Now.Before(at) {
		d.requeue(at)
	}
	return d.publish(status.Running, fmt.Sprintf("run %d, attempt %d: driver pod %s is running%s", d.s.Run, d.s.Attempt, d.s.Driver.PodName, d.otherGate()+d.heldMessage()))
}

// countExecutors takes the executor counts over, at once if something else is written anyway, else at a bounded rate.
func (d *decider) countExecutors(withStage bool) {
	counted := d.executorStatus()
	if equality.Semantic.DeepEqual(counted, d.s.Executors) {
		return
	}
	due := d.o.LastWrite.Add(d.o.ExecutorInterval)
	if fewer := d.o.FewerSeen; !fewer.IsZero() && fewer.Add(endingDelay).After(due) {
		due = fewer.Add(endingDelay) // most executors go because the driver is about to end
	}
	if !withStage && d.o.Now.Before(due) {
		d.requeue(due)
		return
	}
	d.announceMissing(counted)
	d.s.Executors = counted
}

func (d *decider) executorStatus() *v1alpha1.ExecutorStatus {
	mine := d.currentPods()
	c := pods.Count(mine)
	wanted := int32(0)
	if d.s.Executors != nil {
		wanted = d.s.Executors.Wanted
	}
	failed, failures := d.executorFailures()
	return &v1alpha1.ExecutorStatus{Wanted: wanted, Ready: c.Ready, Pending: c.Pending, Gated: c.Gated, Failed: failed, Failures: failures,
		Problem: d.executorProblem(mine), Summary: fmt.Sprintf("%d/%d", c.Ready, wanted)}
}

// deleteStrays removes pods that no attempt of this application should have any more: a late answer, or a driver that an operator
// made after it had lost its lease. Those that are being deleted already end in time.
func (d *decider) deleteStrays() {
	for _, r := range d.o.Pods {
		if r.Active() && (!d.current(r) || r.Deleting) {
			d.askToEnd(r)
		}
	}
}

// askToEnd deletes a pod, unless it is being deleted and ends in time: whoever deleted it may have given it a longer grace period.
func (d *decider) askToEnd(r *pods.Record) {
	if !r.Deleting || r.EndsLate(d.o.MaxTermination) {
		d.after(Action{Kind: DeletePod, Pod: r})
	}
}
