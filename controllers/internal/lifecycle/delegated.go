// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/queueing/catalog"
)

// A gate may leave admission to the scheduler: it grants at once, and the driver waits as a pod without a node. Until it has one, the
// time counts as time of waiting, under timeouts.admission. Where the scheduler has queues, timeouts.driverStart begins with the node:
// before that, the wait is no failure.

// schedulerInterval is how often a driver is looked at that waits in a queue of the scheduler, should the watch of pods miss something.
const schedulerInterval = 10 * time.Minute

// delegated says that admission of the attempt is left to the scheduler.
func (d *decider) delegated() bool {
	if d.view.Admitted != nil {
		return d.view.Admitted.Reason == v1alpha1.DelegatedToSchedulerReason
	}
	c := apimeta.FindStatusCondition(d.o.App.Status.Conditions, v1alpha1.AdmittedCondition)
	return c != nil && c.Reason == v1alpha1.DelegatedToSchedulerReason
}

// awaitsNode says that the attempt, in that stage, waits for the scheduler to admit it.
func (d *decider) awaitsNode(stage status.Stage) bool {
	driver := d.driver()
	return stage.Active() && d.delegated() && d.s.Times.DriverStarted == nil && (driver == nil || !hasNode(driver))
}

// queuedByScheduler says that the driver waits in a queue of the scheduler.
func (d *decider) queuedByScheduler(driver *pods.Record) bool {
	return driver != nil && !hasNode(driver) && d.delegated() && d.queues()
}

func hasNode(driver *pods.Record) bool { return driver.Scheduled || driver.Running }

// noteNode notes that the scheduler has given the driver a node: where it has queues, the attempt is admitted only now.
func (d *decider) noteNode(driver *pods.Record) {
	if driver == nil || d.s.Times.Waiting == nil || !d.delegated() || !hasNode(driver) {
		return
	}
	if d.s.Times.Waiting = nil; d.queues() {
		d.s.Times.Admitted = d.nowPtr()
	}
}

// nodeOverdue says that the scheduler has had all the time for admission that there is.
func (d *decider) nodeOverdue(driver *pods.Record) bool {
	at := d.admissionDeadline()
	return driver != nil && !hasNode(driver) && d.delegated() && !at.IsZero() && !d.o.Now.Before(at)
}

func (d *decider) nodeMessage(driver *pods.Record) string {
	why := pods.WhyNotStarted(driver).Whole()
	if why == "" {
		why = "its scheduler has reported no reason; see kubectl describe pod"
	}
	return fmt.Sprintf("driver pod %s got no node within timeouts.admission (%s): %s", driver.Name, d.timeouts().Admission.Duration, why)
}

// enough is how many executors make the attempt complete. Gates that leave executors to a scheduler grant all that are asked for, and
// reserve the smallest gang.
func (d *decider) enough(now *v1alpha1.ExecutorStatus) int32 {
	q, g := d.o.App.Spec.Queue, d.s.Grant
	if q == nil || q.MinExecutors == nil || g == nil || !catalog.Of(g.Gate).LeavesExecutors {
		return now.Wanted
	}
	return min(now.Wanted, *q.MinExecutors)
}

// otherGate ends the message of an attempt that runs although the spec names another gate by now; empty if it does not.
func (d *decider) otherGate() string {
	q, g := d.o.App.Spec.Queue, d.s.Grant
	if q == nil || q.Gate == "" || g == nil || g.Gate == q.Gate {
		return ""
	}
	return fmt.Sprintf("; it was let in by gate %s, and spec.queue.gate %s takes effect when it asks again: with the next attempt or run", g.Gate, q.Gate)
}
