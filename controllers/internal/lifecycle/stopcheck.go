// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// stopChecks returns why an attempt has to be stopped.
type stopChecks struct {
	*state
	deadlines  deadlines
	rerun      rerun
	delegation delegation
	executors  executorHealth
}

// first says why the attempt has to be stopped; empty if it may go on.
func (sc stopChecks) first(driver *pods.Record) (v1alpha1.StopReason, string) {
	switch {
	case sc.o.App.Spec.Suspend:
		return v1alpha1.StopSuspended, "stopping the driver: spec.suspend is true"
	case sc.rerun.wanted() && templatePolicy(sc.o.App) == v1alpha1.TemplateChangeRestart:
		return v1alpha1.StopTemplateChanged, "stopping the driver: another run is requested and onTemplateChange is Restart"
	case driver == nil && sc.rerun.changed():
		return v1alpha1.StopTemplateChanged, "the run template changed before the driver was created"
	case driver != nil && pods.WhyNotStarted(driver).Permanent:
		return v1alpha1.StopDriverStart, pods.WhyNotStarted(driver).Message
	}
	return sc.byOthers(driver)
}

// byOthers is stopReason for what others or the clock decide.
func (sc stopChecks) byOthers(driver *pods.Record) (v1alpha1.StopReason, string) {
	switch {
	case sc.gatedByKueue(driver):
		return v1alpha1.StopKueueConflict, takenMessage(driver)
	case sc.runOverdue():
		_, reason, message := sc.deadlines.run()
		return reason, message
	case sc.o.Eviction != nil:
		return v1alpha1.StopPreempted, sc.o.Eviction.Message
	}
	return sc.overdueStart(driver)
}

// overdueStart says what of the start of the attempt has taken too long; empty if nothing has.
func (sc stopChecks) overdueStart(driver *pods.Record) (v1alpha1.StopReason, string) {
	switch {
	case sc.delegation.nodeOverdue(driver):
		return v1alpha1.StopAdmission, sc.delegation.nodeMessage(driver)
	case sc.driverStartOverdue(driver):
		return v1alpha1.StopDriverStart, sc.driverStartMessage(driver)
	case sc.executors.startOverdue():
		return v1alpha1.StopExecutorStart, sc.executors.startMessage()
	}
	return "", ""
}

// runOverdue says that the attempt has run for as long as it may.
func (sc stopChecks) runOverdue() bool {
	at, reason, _ := sc.deadlines.run()
	return reason != "" && !sc.o.Now.Before(at)
}

// driverStartOverdue says that the driver should run by now and does not.
func (sc stopChecks) driverStartOverdue(driver *pods.Record) bool {
	return sc.was != status.Running && !sc.delegation.queuedByScheduler(driver) && !sc.deadlines.driverRunning().After(sc.o.Now) && (driver == nil || !driver.Running)
}

func (sc stopChecks) driverStartMessage(driver *pods.Record) string {
	why := "the driver pod was not created"
	switch {
	case driver == nil && sc.was == status.Submitting && sc.view.Message != sc.submittingMessage():
		why = sc.view.Message // the obstacle that Submitting shows
	case driver != nil:
		why = pods.WhyNotStarted(driver).Whole()
	}
	if why == "" {
		why = "the kubelet has not started its container; it may still pull the image or wait for a volume; see kubectl describe pod"
	}
	return fmt.Sprintf("driver did not run within timeouts.driverStart (%s): %s", sc.deadlines.driverStart(), why)
}

// failsBy says that an attempt which is stopped for this reason counts as failed although its driver runs.
func (sc stopChecks) failsBy(reason v1alpha1.StopReason) bool {
	return reason == v1alpha1.StopDeadline || reason == v1alpha1.StopTotalDeadline || reason == v1alpha1.StopExecutorStart && !sc.queues()
}

// gatedByKueue says that Kueue has put a driver behind a gate of its own, although the attempt holds quota of Kueue already: its pod
// integration takes pods as jobs, would charge the driver again, and may never let it go.
func (sc stopChecks) gatedByKueue(driver *pods.Record) bool {
	return driver != nil && driver.KueueGated && sc.s.Grant != nil && catalog.Of(sc.s.Grant.Gate).PodIntegration
}
