// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
)

// endingDelay is how long the operator waits before it writes the stage Finalizing for a driver that has succeeded, so
// that its executors can end first. It is also how long it waits before it writes a smaller number of ready executors,
// so that the driver can end first.
const endingDelay = 3 * time.Second

const (
	// sidecarsEndedReason is the reason of the event about containers of the driver's pod that did not end with the
	// driver.
	sidecarsEndedReason = "SidecarsEnded"
	// sidecarsNote begins messages about such containers.
	sidecarsNote = "ending containers that did not end with the driver"
)

// ending ends attempts and decides what follows: another attempt, another run, or the end of the run.
type ending struct {
	policies
	publisher publisher
	admission admission
}

// attemptEnded records the outcome of a driver that has ended. If no pod of the attempt is left, the end is published
// at once; otherwise the attempt is Finalizing.
func (en ending) attemptEnded(o pods.Outcome) Decision {
	if o.Succeeded && en.executorsMayEnd() {
		en.requeue(en.o.DriverEndedSince.Add(endingDelay))
		en.decision.Status = *en.o.App.Status.DeepCopy()
		return en.decision
	}
	if !o.Succeeded && en.logNeeded() {
		return need(NeedLogTail, en.start())
	}
	outcome := v1alpha1.OutcomeFailed
	if o.Succeeded {
		outcome = v1alpha1.OutcomeSucceeded
	}
	en.s.Times.Stopping = en.nowPtr()
	if en.s.Times.DriverStarted == nil && o.ExitCode != nil {
		// The driver started and ended between two passes.
		en.s.Times.DriverStarted = en.nowPtr()
	}
	en.health.recordReady()
	en.s.Executors = en.health.status()
	if !o.Succeeded {
		o.Message, o.Cause = withCause(o, en.o.LogCause)+en.failures.note(), en.classOf(o)
	}
	en.history.record(v1alpha1.AttemptStatus{Outcome: outcome, Reason: o.Reason, Cause: o.Cause, ExitCode: o.ExitCode, Message: o.Message})
	if len(en.activePods()) > 0 {
		en.termination.endPods()
		doing := "waiting for the pods of the attempt to end: "
		if en.view.DriverRunning = en.driverRuns(); en.view.DriverRunning {
			doing = "stopping the driver: "
		}
		return en.publisher.publish(status.Finalizing, doing+o.Message)
	}
	return en.finish()
}

// executorsMayEnd reports whether the executors of a driver that has just succeeded still have time to end. Spark stops
// them, and most end within moments; waiting for that saves a write. If the clock was set back, the wait ends at once.
func (en ending) executorsMayEnd() bool {
	since, now := en.o.DriverEndedSince, en.o.Now
	return now.Before(since.Add(endingDelay)) && !now.Before(since) && len(en.activePods()) > 0
}

// withCause returns the message of a failed program as the kubelet reports it, extended by the cause that was found in
// its log.
func withCause(o pods.Outcome, cause string) string {
	if cause == "" || o.Cause != v1alpha1.CauseApplication || o.ExitCode == nil || o.Reason != pods.ReasonError {
		return o.Message
	}
	if message, plain := strings.CutSuffix(o.Message, " ("+pods.ReasonError+")"); plain {
		return message + ": " + cause
	}
	return o.Message + "; the log says: " + cause
}

// classOf returns the class of a failure. It is none of the program's if Spark has given up because a ResourceQuota was used
// up and no executor could be created, as it does from 4.2 on. Earlier versions try again for ever, which a timeout ends.
func (en ending) classOf(o pods.Outcome) v1alpha1.FailureCause {
	gaveUp := o.ExitCode != nil && *o.ExitCode == pods.ExitTooManyFailures && en.s.Executors.Failed == 0
	if gaveUp && strings.Contains(en.o.LogCause, " is forbidden: exceeded quota: ") {
		return v1alpha1.CauseInfrastructure
	}
	return o.Cause
}

// stop publishes that the attempt is being stopped and why, and ends its pods.
func (en ending) stop(found stopFinding) Decision {
	reason, message := found.reason, found.message
	en.health.recordReady()
	en.s.Stopping = reason
	en.s.Times.Stopping = en.nowPtr()
	outcome, cause := en.outcomeOf(reason)
	en.history.record(v1alpha1.AttemptStatus{Outcome: outcome, Reason: string(reason), Cause: cause, Message: message})
	switch reason {
	case v1alpha1.StopPreempted:
		en.event(true, v1alpha1.PreemptedReason, message)
		message = "releases its quota: " + message
	case v1alpha1.StopDeadline, v1alpha1.StopTotalDeadline, v1alpha1.StopExecutorStart, v1alpha1.StopAdmission, v1alpha1.StopKueueConflict:
		message = "stopping the driver: " + message
	case v1alpha1.StopInputsChanged, v1alpha1.StopRejected:
		message = "releases its quota: " + message
	case v1alpha1.StopDriverStart, v1alpha1.StopSuspended, v1alpha1.StopTemplateChanged:
	}
	en.view.DriverRunning = en.driverRuns()
	en.termination.endPods()
	return en.publisher.publish(status.Finalizing, message)
}

// outcomeOf returns the outcome and the cause of failure of an attempt that is stopped for reason.
func (en ending) outcomeOf(reason v1alpha1.StopReason) (v1alpha1.AttemptOutcome, v1alpha1.FailureCause) {
	switch reason {
	case v1alpha1.StopDriverStart:
		if driver := en.driver(); driver != nil && pods.WhyNotStarted(driver).Permanent {
			return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
		}
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopAdmission:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopKueueConflict, v1alpha1.StopRejected:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
	case v1alpha1.StopDeadline, v1alpha1.StopTotalDeadline:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseApplication
	case v1alpha1.StopExecutorStart:
		if en.queues() {
			return v1alpha1.OutcomeStopped, v1alpha1.CauseInfrastructure
		}
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopSuspended, v1alpha1.StopTemplateChanged, v1alpha1.StopPreempted, v1alpha1.StopInputsChanged:
	}
	return v1alpha1.OutcomeStopped, ""
}

// finalizing waits until no pod of the attempt is active, and then finishes the attempt.
func (en ending) finalizing() Decision {
	en.rerun.observeSpec()
	if en.termination.nodesNeeded() {
		return need(NeedNodes, Start{})
	}
	if en.termination.executorsMayBeReplaced() {
		return need(NeedDriverAbsent, en.start())
	}
	if len(en.activePods()) > 0 {
		en.termination.endPods()
	}
	if len(en.termination.awaited()) > 0 {
		en.view.DriverRunning = en.driverRuns()
		return en.publisher.publish(status.Finalizing, en.announceSidecars())
	}
	return en.finish()
}

// announceSidecars returns the message of Finalizing. If containers that did not end with the driver are being ended,
// the message says so, and one event is added.
func (en ending) announceSidecars() string {
	message := en.view.Message
	if !en.termination.sidecarsOverdue() || strings.HasPrefix(message, sidecarsNote) {
		return message
	}
	en.event(true, sidecarsEndedReason, fmt.Sprintf("%s in pod %s; declare them as native sidecars, which end with the driver: init containers with "+
		"restartPolicy: Always", sidecarsNote, en.s.Driver.PodName))
	return sidecarsNote + "; " + message
}

// finish ends an attempt that has no active pods: it releases the grant, deletes what is not kept, and decides what
// follows.
func (en ending) finish() Decision {
	if en.termination.driverMayBeUnobserved() {
		return need(NeedDriverAbsent, en.start())
	}
	en.termination.recordDriver()
	stopped, attempt := en.s.Stopping, en.history.last()
	if attempt != nil && en.succeededBefore(stopped) {
		stopped = ""
		en.history.markSucceeded(attempt)
	}
	en.s.Grant, en.s.Stopping, en.s.Times.Stopping = nil, "", nil
	if en.s.Executors != nil {
		e := *en.s.Executors
		e.Ready, e.Pending, e.Gated, e.Problem, e.Summary = 0, 0, 0, "", summaryOf(0, e.Wanted)
		en.s.Executors = &e
	}
	if en.s.Driver != nil {
		en.s.Driver.UIAddress = ""
	}
	kind := DeleteService
	if stopped != "" || !en.retention.keeps(en.driver()) {
		kind = DeleteObjects
	}
	en.before(Action{Kind: kind, Run: en.s.Run, Attempt: en.s.Attempt})
	en.after(Action{Kind: ReleaseGrant})
	return en.conclude(stopped, attempt)
}

// succeededBefore reports whether the driver of an attempt that is stopped for a reason had succeeded before the operator decided that: the
// kubelet reports the end of a container a moment later.
func (en ending) succeededBefore(stopped v1alpha1.StopReason) bool {
	if slices.Contains([]v1alpha1.StopReason{"", v1alpha1.StopInputsChanged, v1alpha1.StopRejected, v1alpha1.StopKueueConflict}, stopped) {
		return false // it was not to run
	}
	driver, stopping := en.lastSeenDriver(), en.s.Times.Stopping
	return driver != nil && stopping != nil && driver.Ended != nil && driver.Ended.ExitCode == 0 && driver.Ended.At > 0 && driver.Ended.At <= stopping.Unix()
}

// conclude decides what follows an attempt that was stopped for the reason stopped, or has ended if that is empty.
func (en ending) conclude(stopped v1alpha1.StopReason, attempt *v1alpha1.AttemptStatus) Decision {
	if attempt != nil {
		en.retries.countFailure(attempt)
	}
	switch {
	case stopped == v1alpha1.StopSuspended:
		return en.publisher.suspend()
	case en.rerun.wanted() && !en.o.App.Spec.Suspend:
		en.announceEnd(attempt)
		return en.admission.nextRun()
	case stopped == v1alpha1.StopTemplateChanged:
		return en.resumeRevertedTemplate()
	case attempt == nil:
		return en.publisher.end(status.Failed, "the attempt ended without a record")
	case stopped == v1alpha1.StopPreempted:
		return en.preempted(attempt)
	case isRequeued(stopped, attempt):
		return en.requeued()
	case en.retries.another(attempt) && !en.retries.totalExceeded():
		return en.retry(attempt)
	}
	return en.publisher.end(en.retries.endOf(attempt))
}

// announceEnd adds an event of the end of a run that another one follows at once, so that no status shows it.
func (en ending) announceEnd(attempt *v1alpha1.AttemptStatus) {
	if attempt == nil || attempt.Outcome == v1alpha1.OutcomeStopped {
		return
	}
	stage, message := en.retries.endOf(attempt)
	en.event(stage != status.Succeeded, string(stage), message)
}

// resumeRevertedTemplate continues a run that was stopped because its template changed, after the change was reverted.
// It plans another attempt, or waits if the application has been suspended in the meantime.
func (en ending) resumeRevertedTemplate() Decision {
	if en.o.App.Spec.Suspend {
		return en.publisher.suspend()
	}
	en.s.Resumes++
	en.nextAttempt()
	return en.publisher.queued(fmt.Sprintf("run %d continues: the change of the template was reverted", en.s.Run))
}

// logNeeded reports whether the end of the driver's log has to be read now, before the attempt is recorded as failed
// and its pod may be deleted. A container that never ran has no log, and the log of one that was lost with its node
// cannot be read.
func (en ending) logNeeded() bool {
	driver := en.driver()
	return en.o.LogTail == nil && driver != nil && (driver.Ended != nil || driver.Running && driver.Active())
}

// preempted queues the run again after a preempted attempt has released its quota. The run keeps its time and so its
// place in the queue. The next attempt has its own number, because the names of its objects contain it. No failure is
// counted.
func (en ending) preempted(attempt *v1alpha1.AttemptStatus) Decision {
	en.s.Preemptions++
	en.nextAttempt()
	if en.o.App.Spec.Suspend {
		return en.publisher.suspend()
	}
	en.view.Admitted = &status.AdmittedView{Reason: v1alpha1.PreemptedReason, Message: attempt.Message}
	return en.publisher.queued("")
}

// retry plans the next attempt after a pause, in which the run holds no quota.
func (en ending) retry(a *v1alpha1.AttemptStatus) Decision {
	pause := en.retries.backoff(a)
	ended := *a
	en.nextAttempt()
	en.retries.pauseFor(pause)
	if en.o.App.Spec.Suspend {
		return en.publisher.suspend()
	}
	if ended.Outcome == v1alpha1.OutcomeFailed {
		en.event(true, v1alpha1.AttemptFailedReason, en.retries.pauseMessage(&ended))
	}
	return en.publisher.pause()
}

// requeued queues the run again after its executors did not start (the queue had quota, but the cluster had no
// capacity), or after the inputs of its grant have changed. Neither counts as a failure, and the run keeps its place in
// the queue.
func (en ending) requeued() Decision {
	en.s.Requeues++
	pause := en.retries.requeuePause()
	en.nextAttempt()
	en.retries.pauseFor(pause)
	if en.o.App.Spec.Suspend {
		return en.publisher.suspend()
	}
	last := &en.s.Attempts[len(en.s.Attempts)-1]
	// The reason is ExecutorStartTimeout or InputsChanged.
	en.event(true, last.Reason, en.retries.pauseMessage(last))
	return en.publisher.pause()
}
