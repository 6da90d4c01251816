// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// stopChecks finds out whether an attempt has to be stopped. It changes nothing.
type stopChecks struct {
	*state
	deadlines  deadlines
	rerun      rerun
	delegation delegation
	health     health
}

// first returns the finding of the first check that has one; the zero value if the attempt may continue. driver is nil
// if no driver pod exists.
func (sc stopChecks) first(driver *pods.Record) stopFinding {
	for _, check := range []func(*pods.Record) stopFinding{sc.bySpec, sc.brokenDriver, sc.overtimeOrEvicted, sc.startLate} {
		if found := check(driver); found.reason != "" {
			return found
		}
	}
	return stopFinding{}
}

// bySpec checks whether the user wants the attempt to stop: spec.suspend, or a changed template.
func (sc stopChecks) bySpec(driver *pods.Record) stopFinding {
	switch {
	case sc.o.App.Spec.Suspend:
		return stopFinding{v1alpha1.StopSuspended, "stopping the driver: spec.suspend is true"}
	case sc.rerun.restarts() && (driver == nil || !sc.rerun.mustWait()):
		return stopFinding{v1alpha1.StopTemplateChanged, "stopping the driver: another run is requested and onTemplateChange is Restart"}
	case sc.rerun.replaces(driver) && !sc.rerun.mustWait():
		return stopFinding{v1alpha1.StopTemplateChanged, "stopping the driver, which does not start: another run is requested"}
	case driver == nil && sc.rerun.changed():
		return stopFinding{v1alpha1.StopTemplateChanged, "the run template changed before the driver was created"}
	}
	return stopFinding{}
}

// brokenDriver checks for a driver that will never start, because of a mistake in the spec or a scheduling gate of
// Kueue.
func (sc stopChecks) brokenDriver(driver *pods.Record) stopFinding {
	switch {
	case driver != nil && pods.WhyNotStarted(driver).Permanent:
		return stopFinding{v1alpha1.StopDriverStart, pods.WhyNotStarted(driver).Message}
	case gatedByKueue(driver, sc.s.Grant):
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

// overtimeOrEvicted checks whether the attempt has run for as long as it may, or the gate reclaims its quota.
func (sc stopChecks) overtimeOrEvicted(*pods.Record) stopFinding {
	if at, found := sc.deadlines.run(); found.reason != "" && !sc.o.Now.Before(at) {
		return found
	}
	if sc.o.Eviction != nil {
		return stopFinding{v1alpha1.StopPreempted, sc.o.Eviction.Message}
	}
	return stopFinding{}
}

// startLate checks whether a step of the start takes longer than its timeout.
func (sc stopChecks) startLate(driver *pods.Record) stopFinding {
	switch {
	case sc.delegation.nodeOverdue(driver):
		return stopFinding{v1alpha1.StopAdmission, sc.delegation.nodeMessage(driver)}
	case sc.driverLate(driver):
		return stopFinding{v1alpha1.StopDriverStart, sc.driverLateMessage(driver)}
	case sc.health.startOverdue():
		return stopFinding{v1alpha1.StopExecutorStart, sc.health.startMessage()}
	}
	return stopFinding{}
}

// driverLate reports whether the deadline for the driver to run has passed and it does not run.
func (sc stopChecks) driverLate(driver *pods.Record) bool {
	return sc.was != status.Running && !sc.delegation.queuedByScheduler(driver) && !sc.deadlines.driverRunning().After(sc.o.Now) &&
		(driver == nil || !driver.Running)
}

func (sc stopChecks) driverLateMessage(driver *pods.Record) string {
	why := "the driver pod was not created"
	switch {
	case driver == nil && sc.was == status.Submitting && sc.view.Message != sc.submittingMessage():
		// The message of Submitting is the obstacle.
		why = sc.view.Message
	case driver != nil:
		why = whyGivenUp(driver, sc.o.DriverEvent)
	}
	return fmt.Sprintf("driver did not run within timeouts.driverStart (%s): %s", sc.deadlines.driverStart(), why)
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
func (sc stopChecks) eventNeeded(reason v1alpha1.StopReason, driver *pods.Record) bool {
	return (reason == v1alpha1.StopDriverStart || reason == v1alpha1.StopAdmission) && driver != nil && sc.o.DriverEvent == nil &&
		pods.WhyNotStarted(driver).Message == ""
}

// logHelps reports whether the log of a running driver may explain why its attempt is stopped for reason: the attempt
// counts as failed, or Spark could not create executors.
func (sc stopChecks) logHelps(reason v1alpha1.StopReason) bool {
	return reason == v1alpha1.StopDeadline || reason == v1alpha1.StopTotalDeadline ||
		reason == v1alpha1.StopExecutorStart && (!sc.queues() || sc.health.noneExist())
}
