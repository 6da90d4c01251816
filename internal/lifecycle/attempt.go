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
	// DefaultExecutorInterval bounds how often executor counts alone are written, and goodNewsFactor is by how much longer
	// they wait while they say only that more executors are ready: a short run ends before that, and one write is saved.
	DefaultExecutorInterval = 10 * time.Second
	goodNewsFactor          = 2
	// startingDelay is how long a driver may take to run before the stage Starting is written, if nothing is in its way:
	// long enough for most images to be pulled.
	startingDelay = 10 * time.Second
	// warningDelay is how long a driver that has a node may show no progress before its events are read, and
	// warningInterval how often they are read again.
	warningDelay    = 5 * time.Second
	warningInterval = 30 * time.Second
)

// attempt follows an attempt that holds its grant.
type attempt struct {
	policies
	publisher publisher
	ending    ending
}

// active follows the attempt from Submitting to the end of its driver.
func (ac attempt) active() Decision {
	ac.rerun.observeSpec()
	driver := ac.driver()
	if driver != nil {
		if next, over := ac.observeDriver(driver); over {
			return next
		}
		if missing := ac.termination.leavingDriver(); missing != NeedNothing {
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

// stopped stops the attempt if it has to be, and reports whether that, or what is needed for it, is the decision. For a
// new run a driver is stopped only once that one can begin: a mistake in a changed spec does not end what runs.
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

// lookForNextRun is after what time the run that follows is planned again, which cannot begin: soon if something that it
// names is missing. Mistakes in the spec are corrected by a change of it, which is seen at once; the others are outside.
func (ac attempt) lookForNextRun() time.Duration {
	if len(ac.o.Plan.Findings) == 0 {
		return referenceInterval
	}
	return longestInterval
}

// neededToStop returns what has to be read before the driver is stopped for a reason, because it is gone afterwards.
func (ac attempt) neededToStop(reason v1alpha1.StopReason, driver *pods.Record) Need {
	switch {
	case ac.stopChecks.logHelps(reason) && ac.ending.logNeeded():
		return NeedLogTail
	case ac.stopChecks.eventNeeded(reason, driver):
		return NeedDriverEvent
	}
	return NeedNothing
}

// observeDriver records the driver pod in the status, and reports whether the attempt is over: the driver has ended, or
// exceeds the grant.
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

// driverGone ends the attempt of a driver that was recorded and that the watch does not show, once a live read has shown
// that it is gone: the uid may have been recorded by another operator, and be newer than what this one's watch has shown.
func (ac attempt) driverGone() Decision {
	if !ac.o.DriverAbsent {
		return need(NeedDriverAbsent, ac.start())
	}
	return ac.ending.attemptEnded(lost("driver pod %s is gone: a user or another controller deleted it", ac.s.Driver.PodName))
}

// lost returns the outcome of an attempt that has lost its driver pod. why is a format for the name of the pod.
func lost(why, pod string) pods.Outcome {
	return pods.Outcome{Reason: pods.ReasonDriverLost, Cause: v1alpha1.CauseInfrastructure, Message: fmt.Sprintf(why, pod)}
}

// submitting makes sure that the driver is created.
func (ac attempt) submitting() Decision {
	switch {
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
	return ac.publisher.publish(status.Submitting, ac.view.Message) // an obstacle is shown until the driver exists
}

// obstacleInterval returns the pause before the operator tries again to create a driver: it grows with the time that the attempt has
// waited. Each try sends all objects to the API server, and takes as long as a webhook that does not answer may take.
func (ac attempt) obstacleInterval() time.Duration {
	if ac.s.Times.Admitted == nil {
		return referenceInterval
	}
	return lookAgainAfter(ac.o.Now.Sub(ac.s.Times.Admitted.Time) / 5)
}

// starting waits for the driver's container.
func (ac attempt) starting(driver *pods.Record) Decision {
	if ac.delegation.queuedByScheduler(driver) {
		ac.requeue(ac.o.Now.Add(schedulerInterval))
	} else {
		ac.publisher.requeueDriverStart()
	}
	message := fmt.Sprintf("driver pod %s is starting", driver.Name)
	switch problem := pods.WhyNotStarted(driver); {
	case problem.Reason == corev1.PodReasonSchedulingGated: // most are removed within moments
		return ac.startingInTime(fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message))
	case problem.Reason != "":
		return ac.publisher.publish(status.Starting, fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message))
	case hasNode(driver):
		return ac.startingOnNode(driver, message)
	}
	return ac.startingInTime(message)
}

// startingInTime follows a driver with no known obstacle to its start. Most run within moments: their uid is recorded
// together with the stage Running, and one write is saved.
func (ac attempt) startingInTime(message string) Decision {
	if due := ac.o.App.Status.Times.Admitted.Add(startingDelay); ac.was == status.Submitting && ac.o.Now.Before(due) && !ac.timesReset {
		ac.requeue(due)
		ac.decision.Status = *ac.o.App.Status.DeepCopy()
		return ac.decision
	}
	return ac.publisher.publish(status.Starting, message)
}

// startingOnNode follows a driver on a node whose status does not say why its container has not started: a volume that
// cannot be mounted, for example, shows in events alone.
func (ac attempt) startingOnNode(driver *pods.Record, message string) Decision {
	if due := ac.o.App.Status.Times.Admitted.Add(warningDelay); ac.o.Now.Before(due) {
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
		message = ac.view.Message // the same in other words is not written again
	}
	return ac.publisher.publish(status.Starting, message)
}

// running follows the executors.
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

// recordStart records since when the driver runs, and since when the run does.
func (ac attempt) recordStart() {
	if ac.s.Times.DriverStarted != nil {
		return
	}
	ac.s.Times.DriverStarted = ac.nowPtr()
	if ac.s.Times.Started == nil {
		ac.s.Times.Started = ac.nowPtr()
	}
}

// runningMessage returns the message of Running. What runs on a node that does not answer is not known.
func (ac attempt) runningMessage() string {
	message := fmt.Sprintf("run %d, attempt %d: driver pod %s is running", ac.s.Run, ac.s.Attempt, ac.s.Driver.PodName)
	if ac.termination.driverOverdue() && ac.termination.nodeLost() != "" {
		message = fmt.Sprintf("run %d, attempt %d: the node of driver pod %s does not answer", ac.s.Run, ac.s.Attempt, ac.s.Driver.PodName)
	}
	return message + ac.delegation.otherGate() + ac.deadlines.heldMessage()
}

// countExecutors updates the executor counts, and that the executors are ready: at once if something else is written
// anyway, else at a bounded rate.
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
	ac.s.Executors = counted
}

// countsDue returns when changed executor counts are written if nothing else is.
func (ac attempt) countsDue(counted *v1alpha1.ExecutorStatus) time.Time {
	interval, before := ac.o.ExecutorInterval, ac.s.Executors
	if before == nil {
		before = &v1alpha1.ExecutorStatus{}
	}
	if !ac.health.readyMatters() && counted.Ready >= before.Ready && counted.Failed == before.Failed && counted.Problem == before.Problem {
		interval *= goodNewsFactor
	}
	due := ac.o.LastWrite.Add(interval)
	if fewer := ac.o.ReadyDroppedSince; !fewer.IsZero() && fewer.Add(endingDelay).After(due) {
		return fewer.Add(endingDelay) // most executors go because the driver is about to end
	}
	return due
}

// announceMissing records one event if executors do not start because an object that their pods name is missing: it was
// deleted, or the driver started without it.
func (ac attempt) announceMissing(counted *v1alpha1.ExecutorStatus) {
	if counted.Problem == "" || ac.s.Executors != nil && ac.s.Executors.Problem == counted.Problem {
		return
	}
	if p := pods.WhyPending(ac.currentPods()); p.Reference {
		ac.event(true, v1alpha1.ReferenceNotFoundReason, p.Message)
	}
}

// stopBeforeDriver stops an attempt whose driver cannot be created as granted, once a live read has shown that none exists.
func (ac attempt) stopBeforeDriver(found stopFinding) Decision {
	if !ac.o.DriverAbsent {
		return need(NeedDriverAbsent, ac.start())
	}
	return ac.ending.stop(found)
}
