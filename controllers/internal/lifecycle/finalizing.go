// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"sort"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// maxAttempts is how many ended attempts the status remembers.
const maxAttempts = 10

// endingDelay is how long the executors of a driver that has succeeded may take to go before the stage Finalizing is written, and how long a
// driver may take to end after its executors before their number is written.
const endingDelay = 3 * time.Second

// attemptEnded records how the driver ended. The end is published at once if nothing of the attempt is left.
func (d *decider) attemptEnded(o pods.Outcome) Decision {
	if due := d.o.EndSeen.Add(endingDelay); o.Succeeded && d.o.Now.Before(due) && len(d.activePods()) > 0 {
		// Spark has told its executors to go, and most have gone within moments: one write is saved.
		d.requeue(due)
		d.d.Status = *d.o.App.Status.DeepCopy()
		return d.d
	}
	if !o.Succeeded && d.logNeeded() {
		return d.need(NeedLogTail, d.start())
	}
	outcome := v1alpha1.OutcomeFailed
	if o.Succeeded {
		outcome = v1alpha1.OutcomeSucceeded
	}
	d.s.Times.Stopping = d.nowPtr()
	if d.s.Times.DriverStarted == nil && o.ExitCode != nil {
		d.s.Times.DriverStarted = d.nowPtr() // it ran and ended between two looks
	}
	d.s.Executors = d.executorStatus()
	if !o.Succeeded {
		o.Message += d.afterFailures()
	}
	d.record(v1alpha1.AttemptStatus{Outcome: outcome, Reason: o.Reason, Cause: o.Cause, ExitCode: o.ExitCode, Message: o.Message})
	if len(d.activePods()) > 0 {
		d.endPods()
		return d.publish(status.Finalizing, "driver has ended, waiting for its pods: "+o.Message)
	}
	return d.finish()
}

// stop writes the intent to stop the attempt, then stops it.
func (d *decider) stop(reason v1alpha1.StopReason, message string) Decision {
	d.s.Stopping = reason
	d.s.Times.Stopping = d.nowPtr()
	outcome, cause := d.judge(reason)
	d.record(v1alpha1.AttemptStatus{Outcome: outcome, Reason: string(reason), Cause: cause, Message: message})
	switch reason {
	case v1alpha1.StopPreempted:
		d.announce(true, v1alpha1.PreemptedReason, message)
		message = "releases its quota: " + message
	case v1alpha1.StopDeadline, v1alpha1.StopTotalDeadline, v1alpha1.StopExecutorStart, v1alpha1.StopAdmission, v1alpha1.StopKueueConflict:
		message = "stopping the driver: " + message
	case v1alpha1.StopInputsChanged:
		message = "releases its quota: " + message
	case v1alpha1.StopDriverStart, v1alpha1.StopSuspended, v1alpha1.StopTemplateChanged:
	}
	d.view.DriverRunning = d.driverRuns()
	d.endPods()
	return d.publish(status.Finalizing, message)
}

// judge says what a stop for a reason makes of the attempt.
func (d *decider) judge(reason v1alpha1.StopReason) (v1alpha1.AttemptOutcome, v1alpha1.FailureCause) {
	switch reason {
	case v1alpha1.StopDriverStart:
		if driver := d.driver(); driver != nil && pods.WhyNotStarted(driver).Permanent {
			return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
		}
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopAdmission:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopKueueConflict:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseConfiguration
	case v1alpha1.StopDeadline, v1alpha1.StopTotalDeadline:
		return v1alpha1.OutcomeFailed, v1alpha1.CauseApplication
	case v1alpha1.StopExecutorStart:
		if d.queues() {
			return v1alpha1.OutcomeStopped, v1alpha1.CauseInfrastructure
		}
		return v1alpha1.OutcomeFailed, v1alpha1.CauseInfrastructure
	case v1alpha1.StopSuspended, v1alpha1.StopTemplateChanged, v1alpha1.StopPreempted, v1alpha1.StopInputsChanged:
	}
	return v1alpha1.OutcomeStopped, ""
}

// record appends the current attempt to the history.
func (d *decider) record(a v1alpha1.AttemptStatus) {
	a.Run, a.Attempt = d.s.Run, d.s.Attempt
	a.StartedAt, a.FinishedAt = d.s.Times.DriverStarted, d.nowPtr()
	if a.Outcome == v1alpha1.OutcomeSucceeded && !d.o.EndSeen.IsZero() && d.o.EndSeen.Before(d.o.Now) {
		seen := metav1.NewTime(d.o.EndSeen.Truncate(time.Second))
		a.FinishedAt = &seen
	}
	if a.StartedAt != nil {
		d.s.RunDuration = &metav1.Duration{Duration: d.ran() + max(0, a.FinishedAt.Sub(a.StartedAt.Time))}
	}
	a.Message = status.Cut(a.Message)
	d.s.Attempts = append(d.s.Attempts, a)
	if extra := len(d.s.Attempts) - maxAttempts; extra > 0 {
		d.s.Attempts = d.s.Attempts[extra:]
	}
	d.keepLogTail()
}

// last is the history's entry of the current attempt; nil if it has none.
func (d *decider) last() *v1alpha1.AttemptStatus {
	if n := len(d.s.Attempts); n > 0 {
		if a := &d.s.Attempts[n-1]; a.Run == d.s.Run && a.Attempt == d.s.Attempt {
			return a
		}
	}
	return nil
}

// finalizing waits until no pod of the application is active.
func (d *decider) finalizing() Decision {
	d.observeSpec()
	if d.nodesNeeded() {
		return d.need(NeedNodes, Start{})
	}
	if len(d.activePods()) > 0 {
		d.view.DriverRunning = d.driverRuns()
		d.endPods()
		return d.publish(status.Finalizing, d.view.Message)
	}
	return d.finish()
}

// driverRuns says that the driver's container runs, also while it is being stopped.
func (d *decider) driverRuns() bool {
	driver := d.driver()
	return driver != nil && driver.Running
}

// activePods are the pods that may still use a node.
func (d *decider) activePods() []*pods.Record {
	var active []*pods.Record
	for _, r := range d.o.Pods {
		if r.Active() {
			active = append(active, r)
		}
	}
	return active
}

// overdue says that pods should have ended by now.
func (d *decider) overdue() bool { return !d.o.Now.Before(d.terminationDeadline()) }

// nodesNeeded says that the next step depends on whether the nodes of overdue pods answer.
func (d *decider) nodesNeeded() bool {
	return d.overdue() && d.o.UnreachableNodes == nil && len(d.activePods()) > 0
}

// endPods asks all active pods to end, and sees to those that do not.
func (d *decider) endPods() {
	late := d.overdue()
	for _, r := range d.activePods() {
		switch {
		case r.Deleting && late && !d.o.UnreachableNodes[r.Node]:
			d.after(Action{Kind: DeletePod, Pod: r, Force: true})
		case !r.Deleting && d.mayLinger(r):
			d.requeue(d.s.Times.Stopping.Add(sidecarGrace))
		default:
			d.askToEnd(r)
		}
	}
	if late {
		d.requeue(d.o.Now.Add(referenceInterval))
	} else {
		d.requeue(d.terminationDeadline())
	}
}

// mayLinger says that the driver ended by itself and only its other containers go on; they get a little time.
func (d *decider) mayLinger(r *pods.Record) bool {
	return r.Role == pods.Driver && r.Ended != nil && d.s.Stopping == "" && d.o.App.DeletionTimestamp.IsZero() &&
		d.s.Times.Stopping != nil && d.o.Now.Before(d.s.Times.Stopping.Add(sidecarGrace))
}

// nodeLost explains pods that are overdue to end on nodes that do not answer; empty if there are none.
func (d *decider) nodeLost() string {
	var lost []string
	for _, r := range d.activePods() {
		if r.Deleting && d.o.UnreachableNodes[r.Node] {
			lost = append(lost, fmt.Sprintf("pod %s on node %s", r.Name, r.Node))
		}
	}
	if len(lost) == 0 {
		return ""
	}
	sort.Strings(lost)
	return strings.Join(lost, ", ") + " cannot be ended because the node does not answer; if it is really down, taint it " +
		"node.kubernetes.io/out-of-service=nodeshutdown:NoExecute, or delete the pods with --force"
}

// driverInDoubt says that pods may exist that the watch has not shown yet: the driver of the attempt is not in view. The watch may be
// older than the status, which another operator may have written.
func (d *decider) driverInDoubt() bool {
	if driver := d.driver(); driver != nil {
		d.s.Driver.UID = driver.UID
		return false
	}
	return d.s.Driver != nil && !d.o.DriverAbsent
}

// finish ends the attempt: nothing of it is active any more.
func (d *decider) finish() Decision {
	if d.driverInDoubt() {
		return d.need(NeedDriverAbsent, d.start())
	}
	stopped, attempt := d.s.Stopping, d.last()
	d.s.Grant, d.s.Stopping, d.s.Times.Stopping = nil, "", nil
	if d.s.Executors != nil {
		e := *d.s.Executors
		e.Ready, e.Pending, e.Gated, e.Problem, e.Summary = 0, 0, 0, "", fmt.Sprintf("0/%d", e.Wanted)
		d.s.Executors = &e
	}
	if d.s.Driver != nil {
		d.s.Driver.UIAddress = ""
	}
	kind := DeleteService
	if stopped != "" {
		kind = DeleteObjects
	}
	d.before(Action{Kind: kind, Run: d.s.Run, Attempt: d.s.Attempt})
	d.after(Action{Kind: ReleaseGrant})
	return d.conclude(stopped, attempt)
}

// conclude says what follows the attempt.
func (d *decider) conclude(stopped v1alpha1.StopReason, attempt *v1alpha1.AttemptStatus) Decision {
	if attempt != nil {
		d.countFailure(attempt)
	}
	switch {
	case stopped == v1alpha1.StopSuspended:
		return d.suspend()
	case d.anotherRun() && !d.o.App.Spec.Suspend:
		return d.nextRun()
	case stopped == v1alpha1.StopTemplateChanged:
		return d.takenBack()
	case attempt == nil:
		return d.end(status.Failed, "the attempt ended without a record")
	case stopped == v1alpha1.StopPreempted:
		return d.preempted(attempt)
	case sentBack(stopped, attempt):
		return d.requeued()
	case d.again(attempt) && !d.totalUsedUp():
		return d.retry(attempt)
	}
	return d.end(d.endOf(attempt))
}

// endOf is the stage with which a run ends after its last attempt, and its message.
func (d *decider) endOf(attempt *v1alpha1.AttemptStatus) (status.Stage, string) {
	switch reason := status.Stage(attempt.Reason); {
	case attempt.Outcome == v1alpha1.OutcomeSucceeded:
		return status.Succeeded, fmt.Sprintf("run %d succeeded", d.s.Run)
	case d.again(attempt) && d.totalUsedUp():
		return status.TotalDeadlineExceeded, fmt.Sprintf("timeouts.total (%s) leaves no time for another attempt: %s",
			d.timeouts().Total.Duration, attempt.Message)
	case d.retriable(attempt) && d.s.Failures >= d.maxAttempts():
		return status.RetriesExceeded, fmt.Sprintf("run %d failed %d times, and restartPolicy.maxAttempts is %d: %s", d.s.Run, d.s.Failures,
			d.maxAttempts(), attempt.Message)
	case reason == status.DriverStartTimeout && attempt.Cause == v1alpha1.CauseConfiguration:
	case reason == status.DriverStartTimeout, reason == status.AdmissionTimeout, reason == status.DeadlineExceeded,
		reason == status.TotalDeadlineExceeded, reason == status.ExecutorStartTimeout, reason == status.GateConflict:
		return reason, attempt.Message
	}
	return status.Failed, fmt.Sprintf("run %d failed: %s", d.s.Run, attempt.Message)
}

// takenBack goes on with a run that was stopped for a change of the template which was taken back meanwhile, as another attempt; or waits,
// if the application was suspended meanwhile.
func (d *decider) takenBack() Decision {
	if d.o.App.Spec.Suspend {
		return d.suspend()
	}
	d.s.Resumes++
	d.nextAttempt()
	return d.queued(fmt.Sprintf("run %d continues: the change of the template was reverted", d.s.Run))
}

// end publishes the end of the run.
func (d *decider) end(stage status.Stage, message string) Decision {
	d.s.Times.Finished, d.s.Ask = d.nowPtr(), nil
	d.announce(stage != status.Succeeded, string(stage), message)
	return d.publish(stage, d.liveOut(message))
}

// nextRun ends the run in the history only and queues the next one. Its ask follows in the next pass, when the grant of this one is
// back.
func (d *decider) nextRun() Decision {
	start := Start{Run: d.s.Run + 1, Attempt: 1, QueuedAt: d.now().Time}
	if d.o.Plan == nil {
		return d.need(NeedPlan, start)
	}
	d.view.Generation = d.o.App.Generation
	if len(d.o.Plan.Findings) > 0 {
		return d.invalid()
	}
	d.newRun(start)
	d.s.Queue = d.o.Plan.Queue
	return d.publish(status.Queued, fmt.Sprintf("run %d follows", start.Run))
}
