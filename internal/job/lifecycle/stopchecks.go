// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// whyStop returns the finding of the first check that has one; the zero value if the attempt may continue. driver is
// nil if no driver pod exists.
func whyStop(st *state, driver *pods.Record) stopFinding {
	for _, check := range []func(*state, *pods.Record) stopFinding{checkSpec, checkDriver, checkBounds, checkStart} {
		if found := check(st, driver); found.reason != "" {
			return found
		}
	}
	return stopFinding{}
}

// checkSpec checks whether the user wants the attempt to stop: spec.suspend, or a changed template.
func checkSpec(st *state, driver *pods.Record) stopFinding {
	switch {
	case st.o.App.Spec.Suspend:
		return stopFinding{v1alpha1.StopSuspended, "stopping the driver: spec.suspend is true"}
	case rerunRestarts(st) && (driver == nil || !rerunWaits(st)):
		return stopFinding{v1alpha1.StopTemplateChanged, "stopping the driver: another run is requested and onTemplateChange is Restart"}
	case rerunReplaces(st, driver) && !rerunWaits(st):
		return stopFinding{v1alpha1.StopTemplateChanged, "stopping the driver, which does not start: another run is requested"}
	case driver == nil && templateChanged(st):
		return stopFinding{v1alpha1.StopTemplateChanged, "the run template changed before the driver was created"}
	}
	return stopFinding{}
}

// checkDriver checks for a driver that will never start, because of a mistake in the spec or a scheduling gate of
// Kueue.
func checkDriver(st *state, driver *pods.Record) stopFinding {
	switch {
	case driver != nil && pods.WhyNotStarted(driver).Permanent:
		return stopFinding{v1alpha1.StopDriverStart, pods.WhyNotStarted(driver).Message}
	case gatedByKueue(driver, st.s.Grant):
		return stopFinding{v1alpha1.StopKueueConflict, kueueConflictMessage(driver)}
	}
	return stopFinding{}
}

// gatedByKueue reports whether Kueue's pod integration has put a scheduling gate on a driver although the attempt
// already holds quota of Kueue. The integration takes each pod for a job of its own: it would charge the driver a
// second time, and may never ungate it.
func gatedByKueue(driver *pods.Record, grant *v1alpha1.Grant) bool {
	return driver != nil && driver.KueueSchedulingGated && grant != nil && catalog.Of(grant.Gate).PodIntegration
}

func kueueConflictMessage(driver *pods.Record) string {
	return fmt.Sprintf("Kueue's pod integration has gated driver pod %s with %s and would charge it a second time: exclude the namespace in "+
		"managedJobsNamespaceSelector of Kueue's configuration, or list SparkApplication.v1alpha1.sparkgate.io in its integrations.externalFrameworks "+
		"and set the label %s on the application; then change spec.runID to run again", driver.Name, v1alpha1.KueueSchedulingGate, v1alpha1.KueueQueueLabel)
}

// checkBounds checks whether the attempt has run for as long as it may, or the gate reclaims its quota.
func checkBounds(st *state, _ *pods.Record) stopFinding {
	if at, found := runDeadline(st); found.reason != "" && !st.o.Now.Before(at) {
		return found
	}
	if st.o.Eviction != nil {
		return stopFinding{v1alpha1.StopPreempted, st.o.Eviction.Message}
	}
	return stopFinding{}
}

// checkStart checks whether a step of the start takes longer than its timeout.
func checkStart(st *state, driver *pods.Record) stopFinding {
	switch {
	case nodeOverdue(st, driver):
		return stopFinding{v1alpha1.StopAdmission, noNodeMessage(st, driver)}
	case driverLate(st, driver):
		return stopFinding{v1alpha1.StopDriverStart, driverLateMessage(st, driver)}
	case executorsOverdue(st):
		return stopFinding{v1alpha1.StopExecutorStart, executorStartMessage(st)}
	}
	return stopFinding{}
}

// driverLate reports whether the deadline for the driver to run has passed and it does not run.
func driverLate(st *state, driver *pods.Record) bool {
	if driver == nil && (st.was != status.Submitting || st.view.Message == st.submittingMessage()) {
		return false // it is created first
	}
	return st.was != status.Running && !queuedByScheduler(st, driver) && !driverRunningBy(st).After(st.o.Now) &&
		(driver == nil || !driver.Running)
}

func driverLateMessage(st *state, driver *pods.Record) string {
	why := st.view.Message // of Submitting: the obstacle
	if driver != nil {
		why = whyGivenUp(driver, st.o.DriverEvent)
	}
	return fmt.Sprintf("driver did not run within timeouts.driverStart (%s): %s", driverStartTimeout(st), why)
}

// whyGivenUp returns why a driver pod that is about to be deleted has not started: from its status, else from its last
// warning event, which users can hardly find once the pod is gone.
func whyGivenUp(driver *pods.Record, event *string) string {
	why := pods.WhyNotStarted(driver).GivenUp()
	switch {
	case why != "":
		return why
	case !hasNode(driver):
		why = "its scheduler assigned it no node"
	default:
		why = "the kubelet did not start its container"
	}
	if event != nil && *event != "" {
		return why + "; last warning: " + *event
	}
	return why + " and reported no problem"
}

// eventNeeded reports whether the last event of the driver pod has to be read before the attempt is stopped for reason.
func eventNeeded(st *state, reason v1alpha1.StopReason, driver *pods.Record) bool {
	return (reason == v1alpha1.StopDriverStart || reason == v1alpha1.StopAdmission) && driver != nil && st.o.DriverEvent == nil &&
		pods.WhyNotStarted(driver).Message == ""
}

// logHelps reports whether the log of a running driver may explain why its attempt is stopped for reason: Spark could not
// create executors.
func logHelps(st *state, reason v1alpha1.StopReason) bool {
	return reason == v1alpha1.StopExecutorStart && noExecutorExists(st)
}

// idleInterval is the minimum time between two questions to a driver.
const idleInterval = time.Minute

// checkIdle stops a server that has run no job for timeouts.idle. The driver is asked only when it may have been idle
// for that long, which needs one question in that time. over reports whether next is the decision, which may be a need.
func checkIdle(st *state) (next Decision, over bool) {
	limit := st.timeouts().Idle
	if limit == nil || st.o.App.Spec.Server == nil || st.s.Times.ExecutorsReady == nil {
		return Decision{}, false
	}
	said := st.o.Activity
	idleAt := latest(st.s.Times.ExecutorsReady.Time, said.Busy).Add(limit.Duration)
	askedNow := said.Asked.Equal(st.o.Now)
	if askedNow && said.Problem == "" && !st.o.Now.Before(idleAt) {
		return stop(st, stopFinding{v1alpha1.StopIdle, fmt.Sprintf("ran no job for timeouts.idle (%s)", limit.Duration)}), true
	}
	askAt := latest(idleAt, said.Asked.Add(idleInterval))
	if !askedNow && !st.o.Now.Before(askAt) {
		return need(NeedActivity, st.start()), true
	}
	st.requeue(askAt)
	return Decision{}, false
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// idleNote says that a driver does not tell what it does, so that timeouts.idle has no effect; empty if it does.
func idleNote(st *state) string {
	if st.timeouts().Idle == nil || st.o.Activity.Problem == "" {
		return ""
	}
	return "; timeouts.idle has no effect, because the driver does not say what it does: " + st.o.Activity.Problem
}
