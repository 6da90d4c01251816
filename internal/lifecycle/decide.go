// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/status"
)

// Decide returns what the operator has to do about an application: either what it has to observe first (Decision.Need),
// or the status to publish and the actions before and after it. It has an answer for every observation and does not
// change it.
func Decide(o Observation) Decision {
	stage, known := status.StageOf(o.App.Status.Conditions)
	if o.MaxTermination == 0 {
		o.MaxTermination = pods.DefaultMaxTermination
	}
	if o.ExecutorInterval == 0 {
		o.ExecutorInterval = DefaultExecutorInterval
	}
	d := newDecider(&state{o: o, was: stage, s: *o.App.Status.DeepCopy()})
	d.view.Message, _, _ = strings.Cut(readyMessage(o.App), nextRunNote(o.App.Status.Run))
	d.view.ReadyWhen = o.App.Spec.ReadyWhen
	if known {
		d.complete()
	}
	if token := status.ReconcileToken(o.App.Annotations); token != "" {
		d.s.LastHandledReconcileAt = token
	}
	switch {
	case !o.App.DeletionTimestamp.IsZero():
		return d.deleted()
	case !known:
		return d.publisher.unknown()
	case !stage.Ended():
		d.timesReset = resetFutureTimes(d.state, d.retries)
	}
	return d.byStage(stage)
}

// decider composes the parts that make a decision. Each part uses only the ones before it.
type decider struct {
	policies
	publisher publisher
	admission admission
	ending    ending
	runs      runs
	attempt   attempt
}

// newDecider returns a decider that works on st.
func newDecider(st *state) *decider {
	d := &decider{policies: newPolicies(st)}
	d.publisher = publisher{d.policies}
	d.admission = admission{d.policies, d.publisher}
	d.ending = ending{d.policies, d.publisher, d.admission}
	d.runs = runs{d.policies, d.publisher, d.admission, d.ending}
	d.attempt = attempt{d.policies, d.publisher, d.ending}
	return d
}

// byStage calls the part that is responsible for the stage.
func (d *decider) byStage(stage status.Stage) Decision {
	switch stage {
	case status.New, status.InvalidSpec, status.NotYetSupported:
		return d.runs.startRun()
	case status.Queued, status.ReferenceNotFound, status.ExceedsQuota, status.Deactivated,
		status.FlavorMismatch, status.Preempted, status.AttemptFailed:
		return d.admission.waiting()
	case status.Suspended:
		return d.runs.suspended()
	case status.Submitting, status.Starting, status.Running:
		return d.attempt.active()
	case status.Finalizing:
		return d.ending.finalizing()
	case status.Succeeded, status.Failed, status.RetriesExceeded, status.DeadlineExceeded, status.TotalDeadlineExceeded,
		status.AdmissionTimeout, status.DriverStartTimeout, status.ExecutorStartTimeout, status.GateConflict:
		return d.runs.ended()
	}
	return d.publisher.unknown()
}

// deleted ends all pods of an application that is being deleted, then releases the grant and removes the finalizer.
func (d *decider) deleted() Decision {
	d.decision.Status = *d.o.App.Status.DeepCopy()
	if d.termination.nodesNeeded() {
		return need(NeedNodes, Start{})
	}
	if d.was.Active() && d.termination.executorsMayBeReplaced() {
		return need(NeedDriverAbsent, d.start())
	}
	if len(d.activePods()) > 0 {
		d.termination.endPods()
	}
	if len(d.termination.awaited()) > 0 {
		if lost := d.termination.nodeLost(); lost != "" {
			d.view.Generation = d.o.App.Status.ObservedGeneration
			return d.publisher.publish(d.was, d.view.Message)
		}
		return d.decision
	}
	if d.was.Active() && d.termination.driverMayBeUnobserved() {
		return need(NeedDriverAbsent, d.start())
	}
	d.after(Action{Kind: ReleaseGrant}, Action{Kind: RemoveFinalizer})
	return d.decision
}

// readyMessage returns the published message of the condition Ready, empty if there is none.
func readyMessage(app *v1alpha1.SparkApplication) string {
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.Message
	}
	return ""
}
