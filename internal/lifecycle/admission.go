// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// preemptingReason is the reason of the event which says that applications are being preempted in favour of this one.
const preemptingReason = "Preempting"

// admission decides while a run waits for its gate: it asks for the planned start and acts on the gate's verdict.
type admission struct {
	policies
	publisher publisher
}

// nextRun queues the next run without ending the current one in the status first. The next run asks in the next pass,
// after the grant of the current run has been released.
func (ad admission) nextRun() Decision {
	start := ad.rerun.next()
	if ad.o.Plan == nil {
		return need(NeedPlan, start)
	}
	ad.view.Generation = ad.o.App.Generation
	if len(ad.o.Plan.Findings) > 0 {
		return ad.invalid()
	}
	ad.newRun(start)
	ad.s.Queue = ad.o.Plan.Queue
	return ad.publisher.publish(status.Queued, fmt.Sprintf("run %d follows", start.Run))
}

// newRun resets the status for a new run: counters, times, grant, driver and executors of the run before are cleared.
func (ad admission) newRun(start Start) {
	if token := ad.rerun.forceToken(); token != "" {
		ad.s.LastHandledForceAt = token
	}
	queued := ad.now()
	queued.Time = start.QueuedAt
	ad.s.Run, ad.s.Attempt = start.Run, start.Attempt
	ad.s.TemplateHash, ad.s.RunID = ad.o.Plan.Hash, ad.o.App.Spec.RunID
	ad.s.Failures, ad.s.Preemptions, ad.s.Resumes, ad.s.Requeues = 0, 0, 0, 0
	ad.s.OtherOperator = "" // the other operator sets it again if it still manages the namespace
	ad.s.Times, ad.s.RunDuration, ad.s.Ask = v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: &queued}}, nil, nil
	ad.s.Grant, ad.s.Driver, ad.s.Executors, ad.s.Stopping = nil, nil, nil, ""
}

// waiting decides for an application that waits for quota: it checks suspend, a newer template and timeouts.admission,
// and asks again.
func (ad admission) waiting() Decision {
	ad.termination.deleteOrphanedPods()
	switch {
	case ad.o.App.Spec.Suspend:
		return ad.publisher.suspend()
	case ad.rerun.wanted():
		// Nothing runs yet, so the new template replaces the old one. Its ask or grant is released first.
		ad.after(Action{Kind: ReleaseGrant})
		return ad.nextRun()
	}
	if at := ad.deadlines.admission(); !at.IsZero() && !ad.o.Now.Before(at) {
		return ad.admissionTimeout()
	}
	return ad.askPlanned()
}

// askPlanned asks for the planned start once its pause is over. If the restart policy or timeouts.total no longer
// allows another attempt, the run ends with the outcome of the last attempt; the planned one never existed, so the
// status does not mention it.
func (ad admission) askPlanned() Decision {
	if ended := ad.retries.givenUp(); ended != nil {
		ad.s.Attempt, ad.s.Times.Retry = ended.Attempt, nil
		ad.after(Action{Kind: ReleaseGrant})
		return ad.publisher.end(ad.retries.endOf(ended))
	}
	if ad.retries.pausing() {
		return ad.publisher.pause()
	}
	ad.retries.endPause()
	start := ad.start()
	if ad.o.Plan == nil {
		return need(NeedPlan, start)
	}
	if len(ad.o.Plan.Findings) > 0 {
		return ad.invalid()
	}
	return ad.ask(start)
}

// admissionTimeout ends a run that has waited for quota longer than timeouts.admission. The ask is withdrawn after that
// has been written to the status.
func (ad admission) admissionTimeout() Decision {
	message := fmt.Sprintf("waited for quota longer than timeouts.admission (%s): %s", ad.timeouts().Admission.Duration, ad.view.Message)
	ad.history.record(v1alpha1.AttemptStatus{
		Outcome: v1alpha1.OutcomeFailed, Reason: string(status.AdmissionTimeout), Cause: v1alpha1.CauseInfrastructure, Message: message,
	})
	ad.retries.countFailure(ad.history.last())
	ad.s.Times.ReferenceMissing = nil
	ad.after(Action{Kind: ReleaseGrant})
	return ad.publisher.end(status.AdmissionTimeout, message)
}

// ask requests the planned start from the gate and acts on its verdict.
func (ad admission) ask(start Start) Decision {
	if len(ad.o.Plan.Missing) > 0 {
		ad.s.Queue = ad.o.Plan.Queue
		ad.place.noteBlocked()
		// A start that is not possible must neither wait in the queue nor keep a grant.
		ad.after(Action{Kind: ReleaseGrant})
		return ad.referenceMissing(strings.Join(ad.o.Plan.Missing, "; "))
	}
	ad.place.take(&start)
	if ad.o.Verdict == nil {
		return need(NeedVerdict, start)
	}
	v := ad.o.Verdict
	switch v.State {
	case queueing.Undecided:
		return ad.undecided()
	case queueing.Granted:
		if Outdated(ad.o.Plan, v) {
			return ad.releaseFirst()
		}
		return ad.submit(v)
	case queueing.Evicting:
		return ad.releaseFirst()
	case queueing.Refused:
		return ad.notAdmitted(refusal(v.Reason), v)
	case queueing.Waiting:
		if v.Reason == queueing.ReasonReferenceNotFound {
			return ad.referenceMissing(v.Message)
		}
	}
	return ad.notAdmitted(status.Queued, v)
}

// releaseFirst releases a grant under which nothing was created, and asks again a second later. Once the status without
// the grant is written, no operator can use the grant any longer, not even one that has lost its lease without knowing
// it yet.
func (ad admission) releaseFirst() Decision {
	ad.after(Action{Kind: ReleaseGrant})
	ad.requeue(ad.o.Now.Add(time.Second))
	return ad.publisher.queued("an earlier grant is released first")
}

// undecided handles a gate that has not looked at the ask yet. The published status stays as it is, unless it still
// shows the end of an earlier run or an outdated place in the queue.
func (ad admission) undecided() Decision {
	if ad.was == status.New && ad.neverEdited() || ad.was.Waiting() && !ad.place.moved() {
		ad.decision.Status = *ad.o.App.Status.DeepCopy()
		return ad.decision
	}
	return ad.publisher.queued("")
}

// notAdmitted publishes why the gate does not admit the start.
func (ad admission) notAdmitted(stage status.Stage, v *queueing.Verdict) Decision {
	if v.Reason == queueing.ReasonNamespaceNotAllowed {
		// A queue that does not admit the namespace counts as a missing reference.
		ad.awaitReference(v.Reason, v.Message)
	} else {
		ad.s.Times.ReferenceMissing = nil
	}
	if before := apimeta.FindStatusCondition(ad.o.App.Status.Conditions, v1alpha1.AdmittedCondition); v.Preempting &&
		(before == nil || before.Message != v.Message) {
		ad.event(false, preemptingReason, v.Message)
	}
	ad.view.Admitted = &status.AdmittedView{Reason: v.Reason, Message: v.Message}
	if stage != ad.was && stage.Blocked() {
		ad.event(true, string(stage), v.Message)
	}
	if stage == status.Queued {
		return ad.publisher.queued(v.Message)
	}
	return ad.publisher.publish(stage, v.Message)
}

// referenceMissing waits for an object that does not exist. After --reference-timeout the application is also Stalled,
// but the wait continues.
func (ad admission) referenceMissing(message string) Decision {
	ad.awaitReference(v1alpha1.ReferenceNotFoundReason, message)
	ad.requeue(ad.o.Now.Add(referenceInterval))
	return ad.publisher.publish(status.ReferenceNotFound, message)
}

// awaitReference records since when a reference has been missing or forbidden, and whether the wait has exceeded
// --reference-timeout. One event reports when it does.
func (ad admission) awaitReference(reason, message string) {
	if ad.s.Times.ReferenceMissing == nil {
		ad.s.Times.ReferenceMissing = ad.nowPtr()
	}
	overdue := ad.s.Times.ReferenceMissing.Add(ad.o.ReferenceTimeout)
	ad.view.ReferenceOverdue = !ad.o.Now.Before(overdue)
	switch before := ad.o.App.Status.Conditions; {
	case !ad.view.ReferenceOverdue:
		ad.requeue(overdue)
	case !apimeta.IsStatusConditionTrue(before, v1alpha1.StalledCondition):
		ad.event(true, reason, fmt.Sprintf("has waited for longer than --reference-timeout (%s): %s", ad.o.ReferenceTimeout, message))
	}
}

// invalid publishes the mistakes in the spec and withdraws the ask. No run is counted.
func (ad admission) invalid() Decision {
	stage, message := mistakesOf(ad.o.Plan)
	if ad.o.Plan.Outside {
		ad.requeue(ad.o.Now.Add(ad.correctionInterval()))
	}
	if stage != ad.was || message != ad.view.Message {
		ad.event(true, string(stage), message)
	}
	ad.s.Times.ReferenceMissing = nil
	ad.place.noteBlocked()
	ad.after(Action{Kind: ReleaseGrant})
	return ad.publisher.publish(stage, message)
}

// correctionInterval returns the pause before a mistake outside of the application is checked again. It grows with the
// time that the application has been stalled: each check reads objects from the API server, and one mistake can stall
// thousands of applications.
func (ad admission) correctionInterval() time.Duration {
	stalled := apimeta.FindStatusCondition(ad.o.App.Status.Conditions, v1alpha1.StalledCondition)
	if stalled == nil {
		return referenceInterval
	}
	return lookAgainAfter(ad.o.Now.Sub(stalled.LastTransitionTime.Time) / 10)
}

// submit publishes the stage Submitting with the grant. This is the intent to start: the grant has to be in the status
// before anything is created.
func (ad admission) submit(v *queueing.Verdict) Decision {
	// A run that continues after it was stopped or preempted uses the current spec, even if onTemplateChange is Ignore.
	ad.s.TemplateHash = ad.o.Plan.Hash
	ad.s.Grant = convert.ToAPI(*v.Grant)
	ad.s.Times.Admitted, ad.s.Times.ReferenceMissing = ad.nowPtr(), nil
	ad.s.Driver = &v1alpha1.DriverStatus{PodName: ad.o.Plan.DriverPod, ApplicationID: ad.o.Plan.ApplicationID,
		UIAddress: ad.o.Plan.UIAddress, HistoryAddress: ad.o.Plan.HistoryAddress}
	wanted := ad.o.Plan.Executors
	for _, p := range ad.s.Grant.PodSets {
		if p.Name == v1alpha1.ExecutorPodSet && p.Count < wanted {
			wanted = p.Count
		}
	}
	ad.s.Executors = &v1alpha1.ExecutorStatus{Wanted: wanted, Summary: summaryOf(0, wanted)}
	reason := v1alpha1.AdmittedReason
	if v.Reason == queueing.ReasonDelegatedToScheduler {
		reason = v1alpha1.DelegatedToSchedulerReason
	}
	ad.view.Admitted = &status.AdmittedView{Admitted: true, Reason: reason, Message: v.Message}
	ad.after(Action{Kind: ReportGrant}, Action{Kind: CreateDriver})
	ad.publisher.requeueDriverStart()
	return ad.publisher.publish(status.Submitting, ad.submittingMessage())
}

// refusal returns the stage of an application whose ask was refused for reason; ExceedsQuota by default.
func refusal(reason string) status.Stage {
	switch reason {
	case queueing.ReasonQueueHeld:
		return status.Deactivated
	case queueing.ReasonFlavorMismatch:
		return status.FlavorMismatch
	}
	return status.ExceedsQuota
}
