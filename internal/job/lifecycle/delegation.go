// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/amounts"
)

// A gate may leave admission to the scheduler. It then grants at once, and the driver waits as a pod without a node.
// Until the driver has a node, the application counts as waiting, and timeouts.admission applies. If the scheduler has
// queues, timeouts.driverStart begins only when the driver gets its node: a wait in a queue is not a slow start.

// schedulerInterval is how often the operator looks at a driver in a queue of the scheduler, in case the watch of pods
// missed a change.
const schedulerInterval = 10 * time.Minute

// delegated reports whether the admission of the attempt is left to the scheduler.
func delegated(st *state) bool {
	if st.view.Admitted != nil {
		return st.view.Admitted.Reason == v1alpha1.DelegatedToSchedulerReason
	}
	c := apimeta.FindStatusCondition(st.o.App.Status.Conditions, v1alpha1.AdmittedCondition)
	return c != nil && c.Reason == v1alpha1.DelegatedToSchedulerReason
}

// awaitsNode reports whether the attempt, if it is in that stage, still waits for the scheduler to admit it.
func awaitsNode(st *state, stage status.Stage) bool {
	driver := st.driver()
	return stage.Active() && delegated(st) && st.s.Times.DriverStarted == nil && (driver == nil || !hasNode(driver))
}

// queuedByScheduler reports whether the driver waits in a queue of the scheduler.
func queuedByScheduler(st *state, driver *pods.Record) bool {
	return driver != nil && !hasNode(driver) && delegated(st) && st.queues()
}

// gangWaits says what waits in a queue of the scheduler: the gang that the grant describes.
func gangWaits(st *state) string {
	sums, pods := queueing.Resources{}, int32(0)
	for i := range st.s.Grant.PodSets {
		set := &st.s.Grant.PodSets[i]
		pods += set.Count
		for name, amount := range amounts.ClampAll(set.Requests) {
			sums[name] = amounts.Plus(sums[name], amounts.Times(set.Count, amount))
		}
	}
	delete(sums, string(corev1.ResourcePods))
	var listed []string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		q := amounts.Quantity(name, sums[name])
		listed = append(listed, name+" "+q.String())
	}
	message := fmt.Sprintf("waits in queue %s of %s for a gang of %d pods", st.s.Queue, st.s.Grant.Gate, pods)
	if len(listed) > 0 {
		message += " with " + strings.Join(listed, ", ")
	}
	return message
}

// noteNode ends the wait for the scheduler once the driver has a node. If the scheduler has queues, this is also when
// the attempt counts as admitted.
func noteNode(st *state, driver *pods.Record) {
	if driver == nil || st.s.Times.Waiting == nil || !delegated(st) || !hasNode(driver) {
		return
	}
	if st.s.Times.Waiting = nil; st.queues() {
		st.s.Times.Admitted = st.nowPtr()
	}
}

// nodeOverdue reports whether the driver got no node within timeouts.admission.
func nodeOverdue(st *state, driver *pods.Record) bool {
	at := admissionDeadline(st)
	return driver != nil && !hasNode(driver) && delegated(st) && !at.IsZero() && !st.o.Now.Before(at)
}

func noNodeMessage(st *state, driver *pods.Record) string {
	return fmt.Sprintf("driver pod %s was assigned no node within timeouts.admission (%s): %s", driver.Name, st.timeouts().Admission.Duration, whyGivenUp(driver, st.o.DriverEvent))
}

// otherGateNote returns the end of the message of an attempt that was admitted by another gate than the spec names now;
// empty if it is the same.
func otherGateNote(st *state) string {
	q, g := st.o.App.Spec.Queue, st.s.Grant
	if q == nil || q.Gate == "" || g == nil || g.Gate == q.Gate {
		return ""
	}
	return fmt.Sprintf("; it was admitted by gate %s: spec.queue.gate %s takes effect with the next attempt or run", g.Gate, q.Gate)
}

func hasNode(driver *pods.Record) bool { return driver.Scheduled || driver.Running }
