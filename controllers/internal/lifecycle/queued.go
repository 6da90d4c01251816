// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// preempting is the reason of the event that tells that others give their room back for an application.
const preempting = "Preempting"

// referenceInterval is how often a missing reference is looked for.
const referenceInterval = 10 * time.Second

// begin plans a new run.
func (d *decider) begin() Decision {
	if d.o.App.Spec.Suspend {
		return d.suspend()
	}
	if blocked := d.was == status.InvalidSpec || d.was == status.NotYetSupported; blocked && d.s.Run > 0 && !d.anotherRun() {
		return d.endAgain()
	}
	start := Start{Run: d.s.Run + 1, Attempt: 1, QueuedAt: d.now().Time}
	if d.neverEdited() {
		start.QueuedAt = d.o.App.CreationTimestamp.Time
	}
	if d.o.Plan == nil {
		return d.need(NeedPlan, start)
	}
	if len(d.o.Plan.Findings) > 0 {
		return d.invalid()
	}
	d.newRun(start)
	return d.ask(start)
}

// newRun writes the beginning of a run into the status.
func (d *decider) newRun(start Start) {
	if token := d.forceToken(); token != "" {
		d.s.LastHandledForceAt = token
	}
	queued := d.now()
	queued.Time = start.QueuedAt
	d.s.Run, d.s.Attempt = start.Run, start.Attempt
	d.s.TemplateHash, d.s.RunID = d.o.Plan.Hash, d.o.App.Spec.RunID
	d.s.Failures, d.s.Preemptions, d.s.Resumes, d.s.Requeues = 0, 0, 0, 0
	d.s.Times, d.s.RunDuration, d.s.Ask = v1alpha1.ApplicationTimes{Queued: &queued}, nil, nil
	d.s.Grant, d.s.Driver, d.s.Executors, d.s.Stopping = nil, nil, nil, ""
}

// waiting goes on asking for the planned start.
func (d *decider) waiting() Decision {
	d.deleteStrays()
	switch {
	case d.o.App.Spec.Suspend:
		return d.suspend()
	case d.anotherRun():
		// Nothing runs yet: the new template takes the place of the old one. What that asked for, or was granted, goes back first.
		d.after(Action{Kind: ReleaseGrant})
		return d.nextRun()
	}
	if at := d.admissionDeadline(); !at.IsZero() && !d.o.Now.Before(at) {
		return d.givenUp()
	}
	if d.pausing() {
		d.after(Action{Kind: ReleaseGrant}) // the pause may have been written by an operator that ended before it could
		return d.pause()
	}
	d.resumeAsking()
	start := d.start()
	if d.o.Plan == nil {
		return d.need(NeedPlan, start)
	}
	if len(d.o.Plan.Findings) > 0 {
		return d.invalid()
	}
	return d.ask(start)
}

// givenUp ends a run that has waited for room for too long. What it asked for goes back once that is written.
func (d *decider) givenUp() Decision {
	message := fmt.Sprintf("waited for quota longer than timeouts.admission (%s): %s", d.timeouts().Admission.Duration, d.view.Message)
	d.record(v1alpha1.AttemptStatus{
		Outcome: v1alpha1.OutcomeFailed, Reason: string(status.AdmissionTimeout), Cause: v1alpha1.CauseInfrastructure, Message: message,
	})
	d.countFailure(d.last())
	d.s.Times.ReferenceMissing = nil
	d.after(Action{Kind: ReleaseGrant})
	return d.end(status.AdmissionTimeout, message)
}

// start is the start that the status says is planned.
func (d *decider) start() Start {
	s := Start{Run: d.s.Run, Attempt: d.s.Attempt, QueuedAt: d.now().Time}
	if d.s.Times.Queued != nil {
		s.QueuedAt = d.s.Times.Queued.Time
	}
	return s
}

// ask puts the planned start before the gate and takes its verdict.
func (d *decider) ask(start Start) Decision {
	if len(d.o.Plan.Missing) > 0 {
		d.s.Queue = d.o.Plan.Queue
		d.block()
		d.after(Action{Kind: ReleaseGrant}) // who cannot start neither waits in line nor keeps what it was given there
		return d.referenceMissing(strings.Join(d.o.Plan.Missing, "; "))
	}
	d.takePlace(&start)
	if d.o.Verdict == nil {
		return d.need(NeedVerdict, start)
	}
	v := d.o.Verdict
	switch v.State {
	case queueing.Undecided:
		return d.undecided()
	case queueing.Granted:
		if Outdated(d.o.Plan, v) {
			return d.goesBackFirst()
		}
		return d.submit(start, v)
	case queueing.Evicting:
		return d.goesBackFirst()
	case queueing.Refused:
		return d.held(refusal(v.Reason), v)
	case queueing.Waiting:
		if v.Reason == queueing.ReasonReferenceNotFound {
			return d.referenceMissing(v.Message)
		}
	}
	return d.held(status.Queued, v)
}

// goesBackFirst gives back a grant that nothing was made under, to ask anew. Once this is written, nobody can use it any more, not even an
// operator that was replaced and does not know it yet.
func (d *decider) goesBackFirst() Decision {
	d.after(Action{Kind: ReleaseGrant})
	d.requeue(d.o.Now.Add(time.Second))
	return d.queued("an earlier grant is released first")
}

// refusal is the stage of an ask that is refused for a reason.
func refusal(reason string) status.Stage {
	switch reason {
	case queueing.ReasonQueueHeld:
		return status.Deactivated
	case queueing.ReasonFlavorMismatch:
		return status.FlavorMismatch
	}
	return status.ExceedsQuota
}

// undecided changes nothing that anybody sees before the gate has looked, except that an earlier end is no longer shown.
func (d *decider) undecided() Decision {
	if d.was == status.New && d.neverEdited() || d.was.Waiting() && !d.moved() {
		d.d.Status = *d.o.App.Status.DeepCopy()
		return d.d
	}
	return d.queued("")
}

// held publishes why the gate does not let the start in.
func (d *decider) held(stage status.Stage, v *queueing.Verdict) Decision {
	d.s.Times.ReferenceMissing = nil
	if before := apimeta.FindStatusCondition(d.o.App.Status.Conditions, v1alpha1.AdmittedCondition); v.Displacing &&
		(before == nil || before.Message != v.Message) {
		d.announce(false, preempting, v.Message)
	}
	d.view.Admitted = &status.AdmittedView{Reason: v.Reason, Message: v.Message}
	if stage != d.was && stage.Blocked() {
		d.announce(true, v.Reason, v.Message)
	}
	if stage == status.Queued {
		return d.queued(v.Message)
	}
	return d.publish(stage, v.Message)
}

// referenceMissing waits for something that does not exist; after the timeout the wait counts as stalled, and goes on all the same.
func (d *decider) referenceMissing(message string) Decision {
	if d.s.Times.ReferenceMissing == nil {
		d.s.Times.ReferenceMissing = d.nowPtr()
	}
	overdue := d.s.Times.ReferenceMissing.Add(d.o.ReferenceTimeout)
	d.view.ReferenceOverdue = !d.o.Now.Before(overdue)
	if !d.view.ReferenceOverdue {
		d.requeue(overdue)
	}
	d.requeue(d.o.Now.Add(referenceInterval))
	return d.publish(status.ReferenceNotFound, message)
}

// invalid publishes the mistakes of the spec. What was asked for is taken back; no run is counted.
func (d *decider) invalid() Decision {
	stage, messages := status.NotYetSupported, make([]string, 0, len(d.o.Plan.Findings))
	for _, f := range d.o.Plan.Findings {
		if f.Reason == v1alpha1.InvalidSpecReason {
			stage = status.InvalidSpec
		}
		if f.Outside {
			d.requeue(d.o.Now.Add(referenceInterval))
		}
	}
	for _, f := range d.o.Plan.Findings {
		if f.Reason == string(stage) {
			messages = append(messages, f.Message)
		}
	}
	message := strings.Join(messages, "; ")
	if stage != d.was || message != d.view.Message {
		d.announce(true, string(stage), message)
	}
	d.s.Times.ReferenceMissing = nil
	d.block()
	d.after(Action{Kind: ReleaseGrant})
	return d.publish(stage, message)
}

// submit writes the intent to start: the grant stands in the status before anything is made.
func (d *decider) submit(start Start, v *queueing.Verdict) Decision {
	// A run that was stopped or preempted goes on with the spec as it is now, also where onTemplateChange is Ignore.
	d.s.TemplateHash = d.o.Plan.Hash
	d.s.Grant = convert.ToAPI(*v.Grant)
	d.s.Times.Admitted, d.s.Times.ReferenceMissing = d.nowPtr(), nil
	d.s.Driver = &v1alpha1.DriverStatus{PodName: d.o.Plan.DriverPod, ApplicationID: d.o.Plan.ApplicationID,
		UIAddress: d.o.Plan.UIAddress, HistoryAddress: d.o.Plan.HistoryAddress}
	wanted := d.o.Plan.Executors
	for _, p := range d.s.Grant.PodSets {
		if p.Name == v1alpha1.ExecutorPodSet && p.Count < wanted {
			wanted = p.Count
		}
	}
	d.s.Executors = &v1alpha1.ExecutorStatus{Wanted: wanted, Summary: fmt.Sprintf("0/%d", wanted)}
	reason := v1alpha1.AdmittedReason
	if v.Reason == queueing.ReasonDelegatedToScheduler {
		reason = v1alpha1.DelegatedToSchedulerReason
	}
	d.view.Admitted = &status.AdmittedView{Admitted: true, Reason: reason}
	d.after(Action{Kind: ConfirmGrant}, Action{Kind: CreateDriver})
	d.requeueDriverStart()
	return d.publish(status.Submitting, d.creating())
}

func number(n int64) string { return strconv.FormatInt(n, 10) }
