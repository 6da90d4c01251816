// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
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
	// clusterInterval is how often a program is looked at that runs on a SparkCluster, which may be gone.
	clusterInterval = time.Minute
	// reasonsInterval is the minimum time between two writes that only change the scheduler's reasons against a pod.
	reasonsInterval = time.Minute
)

// active follows the attempt from Submitting until its driver has ended or has to be stopped.
func active(st *state) Decision {
	observeSpec(st)
	if st.s.Driver == nil {
		return attemptEnded(st, unknownDriver())
	}
	driver := st.lastSeenDriver()
	if driver != nil {
		if next, over := observeDriver(st, driver); over {
			return next
		}
		if missing := endTerminatingDriver(st); missing != NeedNothing {
			return need(missing, st.start())
		}
	} else if st.s.Driver.UID != "" {
		return driverGone(st)
	}
	noteNode(st, driver)
	at, _ := runDeadline(st)
	st.requeue(at)
	if next, over := stopIfFound(st, driver); over {
		return next
	}
	if st.o.StrayDriver {
		return attemptEnded(st, lost("a user or another controller changed the labels or the owner of driver pod %s, by which the operator follows it", st.s.Driver.PodName))
	}
	if st.o.ClusterLost != "" {
		return attemptEnded(st, pods.Outcome{Reason: pods.ReasonClusterLost, Cause: v1alpha1.CauseInfrastructure, Message: st.o.ClusterLost})
	}
	deleteOrphanedPods(st)
	switch {
	case driver == nil:
		return submitting(st)
	case driver.Running || st.was == status.Running:
		return running(st)
	}
	return starting(st, driver)
}

// stopIfFound stops the attempt if one of the stop checks says so. over reports whether next is the decision; it may be
// a need for more observations. If a new run is wanted, the driver is stopped only when that run can begin: a mistake
// in the changed spec must not end a working run.
func stopIfFound(st *state, driver *pods.Record) (next Decision, over bool) {
	if driver != nil && (rerunRestarts(st) || rerunReplaces(st, driver)) && !st.o.App.Spec.Suspend {
		if st.o.Plan == nil {
			return need(NeedPlan, nextRunStart(st)), true
		}
		if rerunWaits(st) {
			st.requeue(st.o.Now.Add(nextRunInterval(st)))
		}
	}
	found := whyStop(st, driver)
	if found.reason == "" {
		return Decision{}, false
	}
	if missing := neededToStop(st, found.reason, driver); missing != NeedNothing {
		return need(missing, st.start()), true
	}
	return stop(st, found), true
}

// nextRunInterval returns the pause before a blocked next run is planned again: short if it waits for a missing
// reference, long if its plan has findings. A mistake in the spec is corrected by editing it, which the watch reports
// at once; only mistakes in other objects need this look.
func nextRunInterval(st *state) time.Duration {
	if len(st.o.Plan.Findings) == 0 {
		return referenceInterval
	}
	return maxInterval
}

// neededToStop returns what has to be read before the driver is stopped, because it cannot be read afterwards: the log
// of the driver, or the last event of its pod.
func neededToStop(st *state, reason v1alpha1.StopReason, driver *pods.Record) Need {
	switch {
	case logHelps(st, reason) && logNeeded(st):
		return NeedLogCause
	case eventNeeded(st, reason, driver):
		return NeedDriverEvent
	}
	return NeedNothing
}

// observeDriver records the uid of the driver pod in the status. over reports that the attempt is over, because the
// driver has ended or because its pod requests more than was granted; next is then the decision.
func observeDriver(st *state, driver *pods.Record) (next Decision, over bool) {
	beyond := beyondGrant(st, driver)
	if st.s.Driver.UID = driver.UID; beyond != "" {
		return stop(st, stopFinding{v1alpha1.StopInputsChanged, beyond}), true
	}
	if outcome, ended := pods.DriverEnded(driver); ended {
		return attemptEnded(st, outcome), true
	}
	return Decision{}, false
}

// driverGone ends an attempt whose recorded driver pod the watch does not show. It first asks for a live read: another
// operator may have recorded the uid of a pod that this one's watch has not delivered yet.
func driverGone(st *state) Decision {
	if !st.o.DriverAbsent {
		return need(NeedDriverAbsent, st.start())
	}
	return attemptEnded(st, lost("driver pod %s is gone: a user or another controller deleted it", st.s.Driver.PodName))
}

// lost returns the outcome of an attempt whose driver pod is gone. why is a format with one verb, for the name of the
// pod.
func lost(why, pod string) pods.Outcome {
	return pods.Outcome{Reason: pods.ReasonDriverLost, Cause: v1alpha1.CauseInfrastructure, Message: fmt.Sprintf(why, pod)}
}

// unknownDriver returns the outcome of an attempt of which the status does not say what its driver is: another client
// has written it.
func unknownDriver() pods.Outcome {
	return pods.Outcome{Reason: pods.ReasonDriverLost, Cause: v1alpha1.CauseInfrastructure,
		Message: "status.driver or status.grant is missing: a user or another controller removed it"}
}

// submitting creates the driver, or publishes what keeps it from being created.
func submitting(st *state) Decision {
	switch {
	case st.s.Grant == nil:
		return attemptEnded(st, unknownDriver())
	case st.o.InputsChanged != "":
		return stopBeforeDriver(st, stopFinding{v1alpha1.StopInputsChanged, st.o.InputsChanged})
	case st.o.Rejection != "":
		return stopBeforeDriver(st, stopFinding{v1alpha1.StopRejected, st.o.Rejection})
	}
	requeueDriverStart(st)
	if st.o.Obstacle != "" {
		st.requeue(st.o.Now.Add(obstacleInterval(st)))
		return publish(st, status.Submitting, st.o.Obstacle)
	}
	st.after(Action{Kind: ReportGrant}, Action{Kind: CreateDriver})
	// The last obstacle stays in the message until the driver exists.
	return publish(st, status.Submitting, st.view.Message)
}

// obstacleInterval returns the pause before the operator tries again to create a driver. It grows with the time since
// the attempt was admitted, because each try sends all objects to the API server and can take as long as the timeout of
// a webhook that does not answer.
func obstacleInterval(st *state) time.Duration {
	if st.s.Times.Admitted == nil {
		return referenceInterval
	}
	return lookAgainAfter(st.o.Now.Sub(st.s.Times.Admitted.Time) / 5)
}

// starting follows a driver pod whose Spark container does not run yet.
func starting(st *state, driver *pods.Record) Decision {
	message := fmt.Sprintf("driver pod %s is starting", driver.Name)
	if queuedByScheduler(st, driver) {
		st.requeue(st.o.Now.Add(schedulerInterval))
		message = gangWaits(st)
	} else {
		requeueDriverStart(st)
	}
	switch problem := pods.WhyNotStarted(driver); {
	// Most scheduling gates are removed within moments.
	case problem.Reason == corev1.PodReasonSchedulingGated:
		return startingInTime(st, fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message))
	case problem.Reason != "" && queuedByScheduler(st, driver):
		return publish(st, status.Starting, steadyMessage(st, fmt.Sprintf("%s; driver pod %s: %s", message, driver.Name, problem.Message)))
	case problem.Reason != "":
		return publish(st, status.Starting, steadyMessage(st, fmt.Sprintf("driver pod %s does not start: %s", driver.Name, problem.Message)))
	case hasNode(driver):
		return startingOnNode(st, driver, message)
	}
	return startingInTime(st, message)
}

// steadyMessage returns the message to publish about a driver that does not start: the published one, if only the
// scheduler's reasons have changed and that was written less than reasonsInterval ago.
func steadyMessage(st *state, message string) string {
	due := st.o.LastWrite.Add(reasonsInterval)
	if message == st.view.Message || !pods.BothUnschedulable(message, st.view.Message) || !st.o.Now.Before(due) {
		return message
	}
	st.requeue(due)
	return st.view.Message
}

// startingInTime follows a driver with no known problem. Most drivers run within startingDelay, so nothing is written
// until then: their uid is recorded together with the stage Running, which saves a write.
func startingInTime(st *state, message string) Decision {
	if due := admittedAt(st).Add(startingDelay); st.was == status.Submitting && st.o.Now.Before(due) && !st.timesReset {
		st.requeue(due)
		return st.unchanged()
	}
	return publish(st, status.Starting, message)
}

// admittedAt returns when the attempt was admitted, according to the published status; zero if that does not say so.
func admittedAt(st *state) time.Time {
	if at := st.o.App.Status.Times.Admitted; at != nil {
		return at.Time
	}
	return time.Time{}
}

// startingOnNode follows a driver that has a node and whose pod status does not say why its container has not started.
// Some causes, such as a volume that cannot be mounted, show only in events.
func startingOnNode(st *state, driver *pods.Record, message string) Decision {
	if due := admittedAt(st).Add(warningDelay); st.o.Now.Before(due) {
		st.requeue(due)
		return startingInTime(st, message)
	}
	if st.o.DriverEvent == nil {
		return need(NeedDriverEvent, st.start())
	}
	st.requeue(st.o.Now.Add(warningInterval))
	event := *st.o.DriverEvent
	if event == "" {
		return startingInTime(st, message)
	}
	reason, _, _ := strings.Cut(event, ":")
	prefix := fmt.Sprintf("driver pod %s does not start; last warning: ", driver.Name)
	if message = prefix + event; strings.HasPrefix(st.view.Message, prefix+reason+":") {
		// The same warning in other words is not worth another write.
		message = st.view.Message
	}
	return publish(st, status.Starting, message)
}

// running updates grant, executor counts and deadlines of an attempt whose driver runs.
func running(st *state) Decision {
	if resizes(st) && st.o.Allocation == nil {
		next := need(NeedAllocation, st.start())
		next.Want = resizeRequest(st)
		return next
	}
	recordStart(st)
	if localUnknown(st, localDelay) {
		return need(NeedLogCause, st.start())
	}
	st.requeueAhead(localDue(st, localDelay), hangsAt(st))
	if st.o.UIAddress != "" {
		st.s.Driver.UIAddress = st.o.UIAddress
	}
	moved := applyResize(st)
	for _, check := range []func(*state) stopFinding{checkSurplus, checkRefused} {
		if found := check(st); found.reason != "" {
			return stop(st, found)
		}
	}
	if next, over := checkIdle(st); over {
		return next
	}
	if next, over := lookAtMaster(st); over {
		return next
	}
	createWorkers(st)
	countExecutors(st, newlyReady(st) && readyMatters(st) || st.was != status.Running || moved)
	latchReady(st)
	at, _ := runDeadline(st)
	st.requeue(at)
	awaitReady(st)
	return publish(st, status.Running, runningMessage(st))
}

// awaitReady asks for another look when executors have to be ready, when those that have just started count, and at the
// cluster of the program.
func awaitReady(st *state) {
	if st.o.App.Spec.ClusterRef != nil {
		st.requeue(st.o.Now.Add(clusterInterval))
	}
	st.requeueAhead(executorsReadyBy(st))
	if st.s.Times.ExecutorsReady == nil {
		_, until := pods.Starting(st.currentPods(), st.o.Now)
		st.requeue(until)
	}
}

// recordStart records when the driver of this attempt and, if it is the first one, the run started.
func recordStart(st *state) {
	if st.s.Times.DriverStarted != nil {
		return
	}
	st.s.Times.DriverStarted = driverStart(st)
	if st.s.Times.Started == nil {
		st.s.Times.Started = st.s.Times.DriverStarted
	}
}

// driverStart returns when the driver's container started according to its pod, which may have been long before the
// operator saw it; now if the pod does not say it. It is not before the attempt was admitted, whatever the node's clock
// says.
func driverStart(st *state) *metav1.Time {
	if driver := st.lastSeenDriver(); driver != nil && driver.StartedAt > 0 {
		return st.between(st.s.Times.Admitted, int64(driver.StartedAt))
	}
	return st.nowPtr()
}

// runningMessage returns the message of Running. If the node of the driver does not answer, nobody can say whether the
// driver still runs, and the message says that instead.
func runningMessage(st *state) string {
	message := fmt.Sprintf("run %d, attempt %d: %sdriver pod %s is running", st.s.Run, st.s.Attempt, executorsNote(st), st.s.Driver.PodName)
	switch problem, _ := clusterProblem(st); {
	case problem != "":
		message += "; " + problem
	case st.view.ReadyWhen != v1alpha1.ReadyWhenRunning || st.s.Times.ExecutorsReady == nil || driverReady(st):
	case st.view.ReadyLost:
		message += ", and no longer ready: see its readiness probes"
	default:
		message += ", and not ready yet"
	}
	if silent := silentNode(st.driver()); silent != "" {
		message = fmt.Sprintf("run %d, attempt %d: %s; if it is really down, %s", st.s.Run, st.s.Attempt, silent, freeNode)
	}
	if driverEndOverdue(st) && nodeLostMessage(st) != "" {
		message = fmt.Sprintf("run %d, attempt %d: the node of driver pod %s does not answer", st.s.Run, st.s.Attempt, st.s.Driver.PodName)
	}
	return message + otherGateNote(st) + heldNote(st) + quotaNote(st) + idleNote(st)
}

// countExecutors updates the executor counts and the time at which the executors became ready. With withStage the
// status is written anyway, so they are updated at once; otherwise at a bounded rate.
func countExecutors(st *state, withStage bool) {
	counted := executorStatus(st)
	if counted == nil {
		recordReady(st)
		st.s.Executors = nil
		return
	}
	if !newlyReady(st) && equality.Semantic.DeepEqual(counted, st.s.Executors) {
		return
	}
	if due := countsDue(st, counted); !withStage && st.o.Now.Before(due) {
		st.requeue(due)
		return
	}
	recordReady(st)
	announcePending(st, counted)
	announceSurplus(st, counted)
	announceUnused(st, counted)
	st.s.Executors = counted
}

// countsDue returns when executor counts that have changed to counted are written if nothing else has to be.
func countsDue(st *state, counted *v1alpha1.ExecutorStatus) time.Time {
	interval, before := st.o.ExecutorInterval, st.s.Executors
	if before == nil {
		before = &v1alpha1.ExecutorStatus{}
	}
	if other := *counted; pods.BothUnschedulable(counted.Problem, before.Problem) {
		other.Problem = before.Problem
		if equality.Semantic.DeepEqual(other, *before) {
			return st.o.LastWrite.Add(reasonsInterval)
		}
	}
	if !readyMatters(st) && counted.Ready >= before.Ready && counted.Failed == before.Failed && counted.Problem == before.Problem {
		interval *= goodNewsFactor
	}
	due := st.o.LastWrite.Add(interval)
	if fewer := st.o.ReadyDroppedSince; !fewer.IsZero() && fewer.Add(endingDelay).After(due) {
		// Most executors go because the driver is about to end.
		return fewer.Add(endingDelay)
	}
	return due
}

// announcePending adds one event if executors do not start: because an object that their pods reference is missing,
// which was deleted during the run or which the driver could start without, or for another reason, of which users are
// told while the attempt has never had all of its base gang. Later, executors come and go.
func announcePending(st *state, counted *v1alpha1.ExecutorStatus) {
	before := ptr.Deref(st.s.Executors, v1alpha1.ExecutorStatus{}).Problem
	if counted.Problem == "" || counted.Problem == before {
		return
	}
	switch p := pods.WhyPending(st.currentPods()); {
	case strings.HasPrefix(counted.Problem, lackingNote) && !strings.HasPrefix(before, lackingNote):
		st.event(true, workerNotCreated, counted.Problem)
	case p.Reference:
		st.event(true, v1alpha1.ReferenceNotFoundReason, p.Message)
	case p.Message == counted.Problem && !pods.BothUnschedulable(p.Message, before) && st.s.Times.ExecutorsReady == nil:
		st.event(true, executorsPendingReason, fmt.Sprintf("%d of %d executors are ready: %s", counted.Ready, counted.Wanted, p.Message))
	}
}

// stopBeforeDriver stops an attempt whose driver cannot be created as granted. It first asks for a live read that shows
// that no driver exists.
func stopBeforeDriver(st *state, found stopFinding) Decision {
	if !st.o.DriverAbsent {
		return need(NeedDriverAbsent, st.start())
	}
	return stop(st, found)
}
