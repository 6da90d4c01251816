// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/cause"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
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

// attemptEnded records the outcome of a driver that has ended. If no pod of the attempt is left, the end is published
// at once; otherwise the attempt is Finalizing.
func attemptEnded(st *state, o pods.Outcome) Decision {
	o = withLostCluster(st, o)
	if o.Succeeded && executorsMayEnd(st) {
		st.requeue(st.o.DriverEndedSince.Add(endingDelay))
		return st.unchanged()
	}
	if logTells(st, o) && logNeeded(st) {
		return need(NeedLogCause, st.start())
	}
	outcome := v1alpha1.OutcomeFailed
	if o.Succeeded {
		outcome = v1alpha1.OutcomeSucceeded
	}
	st.s.Times.Stopping = st.nowPtr()
	if st.s.Times.DriverStarted == nil && o.ExitCode != nil {
		// The driver started and ended between two passes.
		st.s.Times.DriverStarted = driverStart(st)
	}
	recordReady(st)
	recordExecutors(st)
	if !o.Succeeded {
		o.Message, o.Cause = withCause(o, ptr.Deref(st.o.LogCause, ""))+failuresNote(st), classOf(st, o)
	}
	recordAttempt(st, v1alpha1.AttemptStatus{Outcome: outcome, Reason: o.Reason, Cause: o.Cause, ExitCode: o.ExitCode, Message: o.Message})
	if len(st.activePods()) == 0 {
		return finish(st)
	}
	endPods(st)
	doing := "waiting for " + podsInWords(st.activePods()) + " to end: "
	if st.view.DriverRunning = st.driverRuns(); st.view.DriverRunning {
		doing = "stopping the driver: "
	}
	return publish(st, status.Finalizing, doing+o.Message)
}

// withLostCluster returns how a driver has ended, which is not its fault if it has failed and its cluster is gone.
func withLostCluster(st *state, o pods.Outcome) pods.Outcome {
	if !o.Succeeded && o.Cause == v1alpha1.CauseApplication && st.o.ClusterLost != "" {
		o.Cause, o.Message = v1alpha1.CauseInfrastructure, o.Message+"; "+st.o.ClusterLost
	}
	return o
}

// recordExecutors records the executors at the end of the driver.
func recordExecutors(st *state) {
	counted := executorStatus(st)
	announceUnused(st, counted)
	st.s.Executors = counted
}

// executorsMayEnd reports whether the executors of a driver that has just succeeded still have time to end. Spark stops
// them, and most end within moments; waiting for that saves a write. If the clock was set back, the wait ends at once.
func executorsMayEnd(st *state) bool {
	since, now := st.o.DriverEndedSince, st.o.Now
	return now.Before(since.Add(endingDelay)) && !now.Before(since) && len(st.activePods()) > 0
}

// quotesLog reports whether the log of a driver that has ended in this way says why: its program failed.
func quotesLog(o pods.Outcome) bool {
	return o.Cause == v1alpha1.CauseApplication && o.ExitCode != nil && o.Reason == pods.ReasonError
}

// logTells reports whether the log may say more about the end: why the program failed, or that it has used no executors.
func logTells(st *state, o pods.Outcome) bool {
	return quotesLog(o) || o.Succeeded && localUnknown(st, localSoon)
}

// withCause returns the message of a failed program as the kubelet reports it, extended by the cause that was found in
// its log and by what to do about it.
func withCause(o pods.Outcome, found string) string {
	if found == "" || !quotesLog(o) {
		return o.Message
	}
	message, plain := strings.CutSuffix(o.Message, " ("+pods.ReasonError+")")
	switch {
	case !plain && strings.Contains(message, cause.RemedyOf(found, driverRole)):
		return message + "; the log says: " + found
	case !plain:
		message += "; the log says: "
	case strings.HasPrefix(found, cause.LastLine):
		message += "; "
	default:
		message += ": "
	}
	return message + cause.WithRemedy(found, driverRole, cause.MaxBytes)
}

// driverRole is how remedies name the fields of the driver.
const driverRole = "driver"

// classOf returns the class of a failure. It is none of the program's if Spark has given up because a ResourceQuota was
// used up and no executor could be created, as it does from 4.2 on. Earlier versions try again for ever, which a
// timeout ends. Nor is it if the API server did not answer the driver. If it refuses what the driver asks for and will
// refuse it again, only an edit helps.
func classOf(st *state, o pods.Outcome) v1alpha1.FailureCause {
	gaveUp := o.ExitCode != nil && *o.ExitCode == pods.ExitTooManyFailures && ptr.Deref(st.s.Executors, v1alpha1.ExecutorStatus{}).Failed == 0
	said := ptr.Deref(st.o.LogCause, "")
	if (gaveUp || quotesLog(o)) && cause.Lasts(said) {
		return v1alpha1.CauseConfiguration
	}
	if gaveUp && strings.Contains(said, " is forbidden: exceeded quota: ") || quotesLog(o) && cause.IsAPIServerSilent(said) {
		return v1alpha1.CauseInfrastructure
	}
	return o.Cause
}

// stop publishes that the attempt is being stopped and why, and ends its pods.
func stop(st *state, found stopFinding) Decision {
	reason, message := found.reason, found.message
	recordReady(st)
	st.s.Stopping = reason
	st.s.Times.Stopping = st.nowPtr()
	outcome, cause := outcomeOf(st, reason)
	recordAttempt(st, v1alpha1.AttemptStatus{Outcome: outcome, Reason: string(reason), Cause: cause, Message: message})
	switch reason {
	case v1alpha1.StopPreempted:
		st.event(true, v1alpha1.PreemptedReason, message)
		message = "releases its quota: " + message
	case v1alpha1.StopDeadline, v1alpha1.StopTotalDeadline, v1alpha1.StopExecutorStart, v1alpha1.StopAdmission, v1alpha1.StopKueueConflict,
		v1alpha1.StopExceedsGrant, v1alpha1.StopIdle:
		message = "stopping the driver: " + message
	case v1alpha1.StopInputsChanged, v1alpha1.StopRejected:
		doing := "releases its quota: "
		if st.driverRuns() {
			doing = "stopping the driver: "
		}
		message = doing + message
	case v1alpha1.StopDriverStart, v1alpha1.StopSuspended, v1alpha1.StopTemplateChanged:
	}
	st.view.DriverRunning = st.driverRuns()
	endPods(st)
	return publish(st, status.Finalizing, message)
}

// outcomeOf returns the outcome and the cause of failure of an attempt that is stopped for reason.
func outcomeOf(st *state, reason v1alpha1.StopReason) (v1alpha1.AttemptOutcome, v1alpha1.FailureCause) {
	switch reason {
	case v1alpha1.StopDriverStart:
		if driver := st.driver(); driver != nil && pods.WhyNotStarted(driver).Permanent {
			return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
		}
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopAdmission:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopKueueConflict, v1alpha1.StopRejected, v1alpha1.StopExceedsGrant:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
	case v1alpha1.StopDeadline, v1alpha1.StopTotalDeadline:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseApplication
	case v1alpha1.StopExecutorStart:
		if isLocal(st) {
			return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
		}
		if st.queues() {
			return v1alpha1.OutcomeStopped, v1alpha1.CauseInfrastructure
		}
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopSuspended, v1alpha1.StopTemplateChanged, v1alpha1.StopPreempted, v1alpha1.StopInputsChanged, v1alpha1.StopIdle:
	}
	return v1alpha1.OutcomeStopped, ""
}

// finalizing waits until no pod of the attempt is active, and then finishes the attempt.
func finalizing(st *state) Decision {
	observeSpec(st)
	if nodesNeeded(st) {
		return need(NeedNodes, Start{})
	}
	if executorsMayBeReplaced(st) {
		return need(NeedDriverAbsent, st.start())
	}
	if len(st.activePods()) > 0 {
		endPods(st)
	}
	if len(awaitedPods(st)) > 0 {
		st.view.DriverRunning = st.driverRuns()
		return publish(st, status.Finalizing, announceSidecars(st))
	}
	return finish(st)
}

// announceSidecars returns the message of Finalizing. If containers that did not end with the driver are being ended,
// the message says so, and one event is added.
func announceSidecars(st *state) string {
	message := st.view.Message
	if !sidecarsOverdue(st) || strings.HasPrefix(message, sidecarsNote) {
		return message
	}
	st.event(true, sidecarsEndedReason, fmt.Sprintf("%s in pod %s; declare them as native sidecars, which end with the driver: init containers with "+
		"restartPolicy: Always", sidecarsNote, st.s.Driver.PodName))
	return sidecarsNote + "; " + message
}

// finish ends an attempt that has no active pods: it releases the grant, deletes what is not kept, and decides what
// follows.
func finish(st *state) Decision {
	if driverMayBeUnobserved(st) {
		return need(NeedDriverAbsent, st.start())
	}
	recordDriver(st)
	stopped, attempt := st.s.Stopping, currentEntry(st)
	if attempt != nil && succeededBefore(st, stopped) {
		stopped = ""
		markSucceeded(attempt)
	}
	st.s.Grant, st.s.Stopping, st.s.Times.Stopping = nil, "", nil
	if st.s.Executors != nil {
		e := *st.s.Executors
		e.Ready, e.Pending, e.Gated, e.Problem, e.Summary = 0, 0, 0, "", summaryOf(0, e.Wanted)
		st.s.Executors = &e
	}
	if st.s.Driver != nil {
		st.s.Driver.UIAddress = ""
	}
	kind := DeleteService
	if stopped != "" || !keepsPod(st, st.driver()) {
		kind = DeleteObjects
	}
	st.before(Action{Kind: kind, Run: st.s.Run, Attempt: st.s.Attempt})
	st.after(Action{Kind: ReleaseGrant})
	return conclude(st, stopped, attempt)
}

// succeededBefore reports whether the driver of an attempt that is stopped for a reason had succeeded before the
// operator decided that: the kubelet reports the end of a container a moment later. The same second is not before, because
// a driver may answer the request with exit code 0.
func succeededBefore(st *state, stopped v1alpha1.StopReason) bool {
	if slices.Contains([]v1alpha1.StopReason{"", v1alpha1.StopInputsChanged, v1alpha1.StopKueueConflict}, stopped) {
		return false // it was not to run
	}
	driver, stopping := st.lastSeenDriver(), st.s.Times.Stopping
	return driver != nil && stopping != nil && driver.Ended != nil && driver.Ended.ExitCode == 0 && driver.Ended.At > 0 && driver.Ended.At < stopping.Unix()
}

// conclude decides what follows an attempt that was stopped for the reason stopped, or has ended if that is empty.
func conclude(st *state, stopped v1alpha1.StopReason, attempt *v1alpha1.AttemptStatus) Decision {
	if attempt != nil {
		countFailure(st, attempt)
	}
	switch {
	case stopped == v1alpha1.StopSuspended:
		return publishSuspended(st)
	case rerunWanted(st) && !st.o.App.Spec.Suspend:
		announceEnd(st, attempt)
		return queueNextRun(st)
	case stopped == v1alpha1.StopTemplateChanged:
		return resumeRevertedTemplate(st)
	case attempt == nil:
		return publishEnd(st, status.Failed, "the attempt ended without a record")
	case stopped == v1alpha1.StopIdle:
		return publishIdle(st, attempt.Message)
	case stopped == v1alpha1.StopPreempted:
		return preempted(st, attempt)
	case isRequeued(stopped, attempt):
		return requeued(st)
	case mayRetry(st, attempt) && !totalExceeded(st):
		return retry(st, attempt)
	}
	stage, message := runEnd(st, attempt)
	return publishEnd(st, stage, message)
}

// announceEnd adds an event of the end of a run that another one follows at once, so that no status shows it.
func announceEnd(st *state, attempt *v1alpha1.AttemptStatus) {
	if attempt == nil || attempt.Outcome == v1alpha1.OutcomeStopped {
		return
	}
	stage, message := runEnd(st, attempt)
	st.event(stage != status.Succeeded, string(stage), message)
}

// resumeRevertedTemplate continues a run that was stopped because its template changed, after the change was reverted.
// It plans another attempt, or waits if the application has been suspended in the meantime.
func resumeRevertedTemplate(st *state) Decision {
	if st.o.App.Spec.Suspend {
		return publishSuspended(st)
	}
	st.s.Resumes++
	st.nextAttempt()
	return publishQueued(st, fmt.Sprintf("run %d continues: the change of the template was reverted", st.s.Run))
}

// logNeeded reports whether the driver's log has to be read now, before the attempt is recorded as failed
// and its pod may be deleted. A container that never ran has no log, and the log of one that was lost with its node
// cannot be read.
func logNeeded(st *state) bool {
	driver := st.driver()
	return st.o.LogCause == nil && driver != nil && (driver.Ended != nil || driver.Running && driver.Active())
}

// preempted queues the run again after a preempted attempt has released its quota. The run keeps its time and so its
// place in the queue. The next attempt has its own number, because the names of its objects contain it. No failure is
// counted.
func preempted(st *state, attempt *v1alpha1.AttemptStatus) Decision {
	st.s.Preemptions++
	st.nextAttempt()
	if st.o.App.Spec.Suspend {
		return publishSuspended(st)
	}
	st.view.Admitted = &status.AdmittedView{Reason: v1alpha1.PreemptedReason, Message: attempt.Message}
	return publishQueued(st, "")
}

// retry plans the next attempt after a pause, in which the run holds no quota.
func retry(st *state, a *v1alpha1.AttemptStatus) Decision {
	pause := backoff(st, a)
	ended := *a
	st.nextAttempt()
	pauseFor(st, pause)
	if st.o.App.Spec.Suspend {
		return publishSuspended(st)
	}
	if ended.Outcome == v1alpha1.OutcomeFailed {
		st.event(true, v1alpha1.AttemptFailedReason, pauseMessage(st, &ended))
	}
	return publishPause(st)
}

// requeued queues the run again after its executors did not start (the queue had quota, but the cluster had no
// capacity), or after the inputs of its grant have changed. Neither counts as a failure, and the run keeps its place in
// the queue.
func requeued(st *state) Decision {
	st.s.Requeues++
	pause := requeuePause(st)
	st.nextAttempt()
	pauseFor(st, pause)
	if st.o.App.Spec.Suspend {
		return publishSuspended(st)
	}
	last := &st.s.Attempts[len(st.s.Attempts)-1]
	// The reason is ExecutorStartTimeout or InputsChanged.
	st.event(true, last.Reason, pauseMessage(st, last))
	return publishPause(st)
}
