// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
)

const (
	// DefaultExecutorInterval is the minimum time between two status writes that only change executor counts. If all
	// that has changed is that more executors are ready, the minimum is goodNewsFactor times as long: many short runs
	// end before that, which saves a write.
	DefaultExecutorInterval = 10 * time.Second
	goodNewsFactor          = 2
	// startingDelay is how long the operator waits for the driver to run before it writes the stage Starting, if it
	// knows of no problem. Most images are pulled within that time.
	startingDelay = 10 * time.Second
	// warningDelay is how long a driver on a node may show no progress before its events are read, and warningInterval
	// how often they are read again.
	warningDelay    = 5 * time.Second
	warningInterval = 30 * time.Second
	// reasonsInterval is the minimum time between two writes that only change the scheduler's reasons against a pod.
	reasonsInterval = time.Minute
)

// attempt decides for an attempt that holds a grant, in the stages Submitting, Starting and Running.
type attempt struct {
	policies
	publisher publisher
	ending    ending
}

// active follows the attempt from Submitting until its driver has ended or has to be stopped.
func (ac attempt) active() Decision {
	ac.rerun.observeSpec()
	if ac.s.Driver == nil {
		return ac.ending.attemptEnded(unknownDriver())
	}
	driver := ac.lastSeenDriver()
	if driver != nil {
		if next, over := ac.observeDriver(driver); over {
			return next
		}
		if missing := ac.termination.endTerminatingDriver(); missing != NeedNothing {
			return need(missing, ac.start())
		}
	} else if ac.s.Driver.UID != "" {
		return ac.driverGone()
	}
	ac.delegation.noteNode(driver)
	if at, stop := ac.deadlines.run(); stop.reason != "" {
		ac.requeue(at)
	}
	if next, over := ac.stopped(driver); over {
		return next
	}
	if ac.o.StrayDriver {
		return ac.ending.attemptEnded(lost("a user or another controller changed the labels or the owner of driver pod %s, by which the operator follows it", ac.s.Driver.PodName))
	}
	ac.termination.deleteOrphanedPods()
	switch {
	case driver == nil:
		return ac.submitting()
	case driver.Running || ac.was == status.Running:
		return ac.running()
	}
	return ac.starting(driver)
}

// stopped stops the attempt if one of the stop checks says so. over reports whether next is the decision; it may be a
// need for more observations. If a new run is wanted, the driver is stopped only when that run can begin: a mistake in
// the changed spec must not end a working run.
func (ac attempt) stopped(driver *pods.Record) (next Decision, over bool) {
	if driver != nil && (ac.rerun.restarts() || ac.rerun.replaces(driver)) && !ac.o.App.Spec.Suspend {
		if ac.o.Plan == nil {
			return need(NeedPlan, ac.rerun.next()), true
		}
		if ac.rerun.mustWait() {
			ac.requeue(ac.o.Now.Add(ac.lookForNextRun()))
		}
	}
	stop := ac.stopChecks.first(driver)
	if stop.reason == "" {
		return Decision{}, false
	}
	if missing := ac.neededToStop(stop.reason, driver); missing != NeedNothing {
		return need(missing, ac.start()), true
	}
	return ac.ending.stop(stop), true
}

// lookForNextRun returns the pause before a blocked next run is planned again: short if it waits for a missing
// reference, long if its plan has findings. A mistake in the spec is corrected by editing it, which the watch reports
// at once; only mistakes in other objects need this look.
func (ac attempt) lookForNextRun() time.Duration {
	if len(ac.o.Plan.Findings) == 0 {
		return referenceInterval
	}
	return maxInterval
}

// neededToStop returns what has to be read before the driver is stopped, because it cannot be read afterwards: the log
// of the driver, or the last event of its pod.
func (ac attempt) neededToStop(reason v1alpha1.StopReason, driver *pods.Record) Need {
	switch {
	case ac.stopChecks.logHelps(reason) && ac.ending.logNeeded():
		return NeedLogTail
	case ac.stopChecks.eventNeeded(reason, driver):
		return NeedDriverEvent
	}
	return NeedNothing
}

// observeDriver records the uid of the driver pod in the status. over reports that the attempt is over, because the
// driver has ended or because its pod requests more than was granted; next is then the decision.
func (ac attempt) observeDriver(driver *pods.Record) (next Decision, over bool) {
	beyond := beyondGrant(ac.state, driver)
	if ac.s.Driver.UID = driver.UID; beyond != "" {
		return ac.ending.stop(stopFinding{v1alpha1.StopInputsChanged, beyond}), true
	}
	if outcome, ended := pods.DriverEnded(driver); ended {
		return ac.ending.attemptEnded(outcome), true
	}
	return Decision{}, false
}

// driverGone ends an attempt whose recorded driver pod the watch does not show. It first asks for a live read: another
// operator may have recorded the uid of a pod that this one's watch has not delivered yet.
func (ac attempt) driverGone() Decision {
	if !ac.o.DriverAbsent {
		return need(NeedDriverAbsent, ac.start())
	}
	return ac.ending.attemptEnded(lost("driver pod %s is gone: a user or another controller deleted it", ac.s.Driver.PodName))
}

// lost returns the outcome of an attempt whose driver pod is gone. why is a format with one verb, for the name of the
// pod.
func lost(why, pod string) pods.Outcome {
	return pods.Outcome{Reason: pods.ReasonDriverLost, Cause: v1alpha1.CauseInfrastructure, Message: fmt.Sprintf(why, pod)}
}

// unknownDriver returns the outcome of an attempt of which the status does not say what its driver is: another client has written it.
func unknownDriver() pods.Outcome {
	return pods.Outcome{Reason: pods.ReasonDriverLost, Cause: v1alpha1.CauseInfrastructure,
		Message: "status.driver or status.grant is missing: a user or another controller removed it"}
}

// submitting creates the driver, or publishes what keeps it from being created.
func (ac attempt) submitting() Decision {
	switch {
	case ac.s.Grant == nil:
		return ac.ending.attemptEnded(unknownDriver())
	case ac.o.InputsChanged != "":
		return ac.stopBeforeDriver(stopFinding{v1alpha1.StopInputsChanged, ac.o.InputsChanged})
	case ac.o.Rejection != "":
		return ac.stopBeforeDriver(stopFinding{v1alpha1.StopRejected, ac.o.Rejection})
	}
	ac.publisher.requeueDriverStart()
	if ac.o.Obstacle != "" {
		ac.requeue(ac.o.Now.Add(ac.obstacleInterval()))
		return ac.publisher.publish(status.Submitting, ac.o.Obstacle)
	}
	ac.after(Action{Kind: ReportGrant}, Action{Kind: CreateDriver})
	// The last obstacle stays in the message until the driver exists.
	return ac.publisher.publish(status.Submitting, ac.view.Message)
}

// obstacleInterval returns the pause before the operator tries again to create a driver. It grows with the time since
// the attempt was admitted, because each try sends all objects to the API server and can take as long as the timeout of
// a webhook that does not answer.
func (ac attempt) obstacleInterval() time.Duration {
	if ac.s.Times.Admitted == nil {
		return referenceInterval
	}
	return lookAgainAfter(ac.o.Now.Sub(ac.s.Times.Admitted.Time) / 5)
}

// starting follows a driver pod whose Spark container does not run yet.
func (ac attempt) starting(driver *pods.Record) Decision {
	if ac.delegation.queuedByScheduler(driver) {
		ac.requeue(ac.o.Now.Add(schedulerInterval))
	} else {
		ac.publisher.requeueDriverStart()
	}
	message := fmt.Sprintf("driver pod %s is starting", driver.Name)
	switch problem := pods.WhyNotStarted(driver); {
	// Most scheduling gates are removed within moments.
	case problem.Reason == corev1.PodReasonSchedulingGated:
		return ac.startingInTime(fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message))
	case problem.Reason != "":
		return ac.publisher.publish(status.Starting, ac.steady(fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message)))
	case hasNode(driver):
		return ac.startingOnNode(driver, message)
	}
	return ac.startingInTime(message)
}

// steady returns the message to publish about a driver that does not start: the published one, if only the scheduler's
// reasons have changed and that was written less than reasonsInterval ago.
func (ac attempt) steady(message string) string {
	due := ac.o.LastWrite.Add(reasonsInterval)
	if message == ac.view.Message || !pods.BothUnschedulable(message, ac.view.Message) || !ac.o.Now.Before(due) {
		return message
	}
	ac.requeue(due)
	return ac.view.Message
}

// startingInTime follows a driver with no known problem. Most drivers run within startingDelay, so nothing is written
// until then: their uid is recorded together with the stage Running, which saves a write.
func (ac attempt) startingInTime(message string) Decision {
	if due := ac.admitted().Add(startingDelay); ac.was == status.Submitting && ac.o.Now.Before(due) && !ac.timesReset {
		ac.requeue(due)
		ac.decision.Status = *ac.o.App.Status.DeepCopy()
		return ac.decision
	}
	return ac.publisher.publish(status.Starting, message)
}

// admitted returns when the attempt was admitted, according to the published status; zero if that does not say so.
func (ac attempt) admitted() time.Time {
	if at := ac.o.App.Status.Times.Admitted; at != nil {
		return at.Time
	}
	return time.Time{}
}

// startingOnNode follows a driver that has a node and whose pod status does not say why its container has not started.
// Some causes, such as a volume that cannot be mounted, show only in events.
func (ac attempt) startingOnNode(driver *pods.Record, message string) Decision {
	if due := ac.admitted().Add(warningDelay); ac.o.Now.Before(due) {
		ac.requeue(due)
		return ac.startingInTime(message)
	}
	if ac.o.DriverEvent == nil {
		return need(NeedDriverEvent, ac.start())
	}
	ac.requeue(ac.o.Now.Add(warningInterval))
	event := *ac.o.DriverEvent
	if event == "" {
		return ac.startingInTime(message)
	}
	reason, _, _ := strings.Cut(event, ":")
	prefix := fmt.Sprintf("driver pod %s does not start; last warning: ", driver.Name)
	if message = prefix + event; strings.HasPrefix(ac.view.Message, prefix+reason+":") {
		// The same warning in other words is not worth another write.
		message = ac.view.Message
	}
	return ac.publisher.publish(status.Starting, message)
}

// running updates grant, executor counts and deadlines of an attempt whose driver runs.
func (ac attempt) running() Decision {
	if ac.isElastic() && ac.o.Allocation == nil {
		next := need(NeedAllocation, ac.start())
		next.Want = ac.elastic.want()
		return next
	}
	ac.recordStart()
	if ac.o.UIAddress != "" {
		ac.s.Driver.UIAddress = ac.o.UIAddress
	}
	moved := ac.elastic.allocate()
	ac.countExecutors(ac.health.newlyReady() && ac.health.readyMatters() || ac.was != status.Running || moved)
	ac.view.ReadyLatched = ac.s.Times.ExecutorsReady != nil && !ac.termination.driverOverdue()
	if at, stop := ac.deadlines.run(); stop.reason != "" {
		ac.requeue(at)
	}
	if at := ac.deadlines.executorsReady(); !at.IsZero() && ac.o.Now.Before(at) {
		ac.requeue(at)
	}
	return ac.publisher.publish(status.Running, ac.runningMessage())
}

// recordStart records when the driver of this attempt and, if it is the first one, the run started.
func (ac attempt) recordStart() {
	if ac.s.Times.DriverStarted != nil {
		return
	}
	ac.s.Times.DriverStarted = ac.nowPtr()
	if ac.s.Times.Started == nil {
		ac.s.Times.Started = ac.nowPtr()
	}
}

// runningMessage returns the message of Running. If the node of the driver does not answer, nobody can say whether the
// driver still runs, and the message says that instead.
func (ac attempt) runningMessage() string {
	message := fmt.Sprintf("run %d, attempt %d: driver pod %s is running", ac.s.Run, ac.s.Attempt, ac.s.Driver.PodName)
	if ac.termination.driverOverdue() && ac.termination.nodeLost() != "" {
		message = fmt.Sprintf("run %d, attempt %d: the node of driver pod %s does not answer", ac.s.Run, ac.s.Attempt, ac.s.Driver.PodName)
	}
	return message + ac.delegation.otherGate() + ac.deadlines.heldMessage()
}

// countExecutors updates the executor counts and the time at which the executors became ready. With withStage the
// status is written anyway, so they are updated at once; otherwise at a bounded rate.
func (ac attempt) countExecutors(withStage bool) {
	counted := ac.health.status()
	if !ac.health.newlyReady() && equality.Semantic.DeepEqual(counted, ac.s.Executors) {
		return
	}
	if due := ac.countsDue(counted); !withStage && ac.o.Now.Before(due) {
		ac.requeue(due)
		return
	}
	ac.health.recordReady()
	ac.announceMissing(counted)
	ac.announceExcess(counted)
	ac.s.Executors = counted
}

// countsDue returns when executor counts that have changed to counted are written if nothing else has to be.
func (ac attempt) countsDue(counted *v1alpha1.ExecutorStatus) time.Time {
	interval, before := ac.o.ExecutorInterval, ac.s.Executors
	if before == nil {
		before = &v1alpha1.ExecutorStatus{}
	}
	if other := *counted; pods.BothUnschedulable(counted.Problem, before.Problem) {
		other.Problem = before.Problem
		if equality.Semantic.DeepEqual(other, *before) {
			return ac.o.LastWrite.Add(reasonsInterval)
		}
	}
	if !ac.health.readyMatters() && counted.Ready >= before.Ready && counted.Failed == before.Failed && counted.Problem == before.Problem {
		interval *= goodNewsFactor
	}
	due := ac.o.LastWrite.Add(interval)
	if fewer := ac.o.ReadyDroppedSince; !fewer.IsZero() && fewer.Add(endingDelay).After(due) {
		// Most executors go because the driver is about to end.
		return fewer.Add(endingDelay)
	}
	return due
}

// announceMissing adds one event if executors do not start because an object that their pods reference is missing. It
// was deleted during the run, or the driver could start without it.
func (ac attempt) announceMissing(counted *v1alpha1.ExecutorStatus) {
	if counted.Problem == "" || ac.s.Executors != nil && ac.s.Executors.Problem == counted.Problem {
		return
	}
	if p := pods.WhyPending(ac.currentPods()); p.Reference {
		ac.event(true, v1alpha1.ReferenceNotFoundReason, p.Message)
	}
}

// stopBeforeDriver stops an attempt whose driver cannot be created as granted. It first asks for a live read that shows
// that no driver exists.
func (ac attempt) stopBeforeDriver(found stopFinding) Decision {
	if !ac.o.DriverAbsent {
		return need(NeedDriverAbsent, ac.start())
	}
	return ac.ending.stop(found)
}
