// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/pods"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// Decide says what becomes of an application. It is total: every observation has a decision.
func Decide(o Observation) Decision {
	stage, known := status.StageOf(o.App.Status.Conditions)
	if o.MaxTermination == 0 {
		o.MaxTermination = pods.DefaultMaxTermination
	}
	if o.ExecutorInterval == 0 {
		o.ExecutorInterval = DefaultExecutorInterval
	}
	d := &decider{o: o, was: stage, s: *o.App.Status.DeepCopy()}
	d.view.Message = readyMessage(o.App)
	d.view.ReadyWhen = o.App.Spec.ReadyWhen
	if token := o.App.Annotations[reconcileAnnotation]; token != "" && len(token) <= longestToken {
		d.s.LastHandledReconcileAt = token
	}
	switch {
	case !o.App.DeletionTimestamp.IsZero():
		return d.deleted()
	case !known:
		return d.unknown()
	case !stage.Ended():
		d.setBack = d.clockSetBack()
	}
	return d.byStage(stage)
}

func (d *decider) byStage(stage status.Stage) Decision {
	switch stage {
	case status.New, status.InvalidSpec, status.NotYetSupported:
		return d.begin()
	case status.Queued, status.ReferenceNotFound, status.ExceedsQuota, status.Deactivated,
		status.FlavorMismatch, status.Preempted, status.AttemptFailed:
		return d.waiting()
	case status.Suspended:
		return d.suspended()
	case status.Submitting, status.Starting, status.Running:
		return d.active()
	case status.Finalizing:
		return d.finalizing()
	case status.Succeeded, status.Failed, status.RetriesExceeded, status.DeadlineExceeded, status.TotalDeadlineExceeded,
		status.AdmissionTimeout, status.DriverStartTimeout, status.ExecutorStartTimeout, status.GateConflict:
		return d.ended()
	}
	return d.unknown()
}

// decider carries one decision while it is made.
type decider struct {
	o    Observation
	was  status.Stage // the published stage
	s    v1alpha1.SparkApplicationStatus
	view status.View
	// setBack says that times were taken back because the clock was: they have to be written.
	setBack bool
	d       Decision
}

func (d *decider) need(n Need, start Start) Decision {
	return Decision{Need: n, Start: start}
}

// publish completes the decision: the status says that the application is in stage.
func (d *decider) publish(stage status.Stage, message string) Decision {
	d.view.Stage, d.view.Message = stage, message
	if d.view.Generation == 0 {
		d.view.Generation = d.o.App.Generation
	}
	d.view.NodeLost = d.nodeLost()
	d.timeWait(stage)
	d.expire(stage)
	d.s.ObservedGeneration = d.view.Generation
	d.s.Conditions = status.Conditions(d.o.App.Status.Conditions, d.view, d.now())
	d.d.Status = d.s
	// A PUT of a manifest (kubectl replace) drops the finalizer; it comes back while a grant is held.
	d.d.Finalizer = d.s.Grant != nil && d.o.App.DeletionTimestamp.IsZero()
	return d.d
}

// timeWait notes since when the application waits for room, if it does.
func (d *decider) timeWait(stage status.Stage) {
	switch {
	case d.view.UnknownStage != "":
		return
	case !stage.Waiting() && !d.awaitsNode(stage), d.pausing():
		d.s.Times.Waiting = nil
		return
	case d.s.Times.Waiting == nil:
		d.s.Times.Waiting = d.nowPtr()
	}
	if at := d.admissionDeadline(); !at.IsZero() {
		d.requeue(at)
	}
}

// unknown leaves an application alone whose stage a newer operator wrote.
func (d *decider) unknown() Decision {
	ready := apimeta.FindStatusCondition(d.o.App.Status.Conditions, v1alpha1.ReadyCondition)
	d.view.UnknownStage = "stage " + ready.Reason + " is not known to this version of the operator; it leaves the application alone"
	d.view.Generation = d.o.App.Status.ObservedGeneration
	return d.publish(status.Stage(ready.Reason), ready.Message)
}

func (d *decider) after(actions ...Action)  { d.d.After = append(d.d.After, actions...) }
func (d *decider) before(actions ...Action) { d.d.Before = append(d.d.Before, actions...) }

// requeue asks for another look at t at the latest.
func (d *decider) requeue(t time.Time) {
	if d.d.RequeueAt.IsZero() || t.Before(d.d.RequeueAt) {
		d.d.RequeueAt = t
	}
}

func (d *decider) announce(warning bool, reason, message string) {
	d.d.Announce = append(d.d.Announce, Announcement{Warning: warning, Reason: reason, Message: message})
}

// now is the time of the pass as it is stored: in whole seconds, so that an order by it is the same after a restart.
func (d *decider) now() metav1.Time { return metav1.NewTime(d.o.Now.Truncate(time.Second)) }

func (d *decider) nowPtr() *metav1.Time {
	now := d.now()
	return &now
}

// readyMessage is what Ready says now; it stays while the stage and its causes do.
func readyMessage(app *v1alpha1.SparkApplication) string {
	if ready := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.ReadyCondition); ready != nil {
		return ready.Message
	}
	return ""
}
