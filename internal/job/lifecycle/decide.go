// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/spark/server"
)

// Decide returns what the operator has to do about an application: either what it has to observe first (Decision.Need),
// or the status to publish and the actions before and after it. It has an answer for every observation and does not
// change it.
func Decide(o Observation) Decision {
	o.App = server.Complete(o.App)
	stage, known := status.StageOf(o.App.Status.Conditions)
	if o.MaxTermination == 0 {
		o.MaxTermination = pods.DefaultMaxTermination
	}
	if o.ExecutorInterval == 0 {
		o.ExecutorInterval = DefaultExecutorInterval
	}
	st := &state{o: o, was: stage, s: *o.App.Status.DeepCopy()}
	st.view.Message, _, _ = strings.Cut(readyMessage(o.App), nextRunNote(o.App.Status.Run))
	st.view.ReadyWhen = o.App.Spec.ReadyWhen
	if known {
		complete(st)
	}
	if token := status.ReconcileToken(o.App.Annotations); token != "" {
		st.s.LastHandledReconcileAt = token
	}
	switch {
	case !o.App.DeletionTimestamp.IsZero():
		return deleted(st)
	case !known:
		return publishUnknown(st)
	case !stage.Ended():
		st.timesReset = resetFutureTimes(st)
	}
	return byStage(st, stage)
}

// byStage calls the function that is responsible for the stage.
func byStage(st *state, stage status.Stage) Decision {
	switch stage {
	case status.New, status.InvalidSpec, status.NotYetSupported:
		return startRun(st)
	case status.Queued, status.ReferenceNotFound, status.ExceedsQuota, status.Deactivated,
		status.FlavorMismatch, status.Preempted, status.AttemptFailed:
		return waiting(st)
	case status.Suspended:
		return suspended(st)
	case status.Idle:
		return idle(st)
	case status.Submitting, status.Starting, status.Running:
		return active(st)
	case status.Finalizing:
		return finalizing(st)
	case status.Succeeded, status.Failed, status.RetriesExceeded, status.DeadlineExceeded, status.TotalDeadlineExceeded,
		status.AdmissionTimeout, status.DriverStartTimeout, status.ExecutorStartTimeout, status.GateConflict:
		return ended(st)
	}
	return publishUnknown(st)
}

// deleted ends all pods of an application that is being deleted, then releases the grant and removes the finalizer.
func deleted(st *state) Decision {
	if nodesNeeded(st) {
		return need(NeedNodes, Start{})
	}
	if st.was.Active() && executorsMayBeReplaced(st) {
		return need(NeedDriverAbsent, st.start())
	}
	if len(st.activePods()) > 0 {
		endPods(st)
	}
	if awaited := awaitedPods(st); len(awaited) > 0 {
		return beingDeleted(st, "waiting for "+podsInWords(awaited)+" to end")
	}
	if st.o.Obstacle != "" {
		st.requeue(st.o.Now.Add(obstacleInterval(st)))
		return beingDeleted(st, st.o.Obstacle)
	}
	if st.was.Active() && driverMayBeUnobserved(st) {
		return need(NeedDriverAbsent, st.start())
	}
	st.after(Action{Kind: ReleaseGrant}, Action{Kind: RemoveFinalizer})
	return st.unchanged()
}

// beingDeleted publishes what the deletion waits for, at a bounded rate: many executors may end one by one.
func beingDeleted(st *state, why string) Decision {
	const note = "is being deleted: "
	st.view.Generation = st.o.App.Status.ObservedGeneration
	if due := st.o.LastWrite.Add(st.o.ExecutorInterval); strings.HasPrefix(st.view.Message, note) && st.o.Now.Before(due) {
		st.requeue(due)
		return publish(st, st.was, st.view.Message)
	}
	return publish(st, st.was, note+why)
}

// readyMessage returns the published message of the condition Ready, empty if there is none.
func readyMessage(app *v1alpha1.SparkApplication) string {
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.Message
	}
	return ""
}
