// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
	"github.com/sparkgate/sparkgate/queueing/convert"
)

// preemptingReason is the reason of the event which says that applications are being preempted in favour of this one.
const preemptingReason = "Preempting"

// queueNextRun queues the next run without ending the current one in the status first. The next run asks in the next
// pass, after the grant of the current run has been released.
func queueNextRun(st *state) Decision {
	start := nextRunStart(st)
	if st.o.Plan == nil {
		return need(NeedPlan, start)
	}
	st.view.Generation = st.o.App.Generation
	if len(st.o.Plan.Findings) > 0 {
		return publishInvalid(st)
	}
	beginRun(st, start)
	st.s.Queue = st.o.Plan.Queue
	return publish(st, status.Queued, fmt.Sprintf("run %d follows", start.Run))
}

// beginRun resets the status for a new run: counters, times, grant, driver and executors of the run before are cleared.
func beginRun(st *state, start Start) {
	if token := forceToken(st); token != "" {
		st.s.LastHandledForceAt = token
	}
	queued := st.now()
	queued.Time = start.QueuedAt
	st.s.Run, st.s.Attempt = start.Run, start.Attempt
	noteOwner(st, st.s.TemplateHash != st.o.Plan.Hash)
	st.s.TemplateHash, st.s.RunID = st.o.Plan.Hash, st.o.App.Spec.RunID
	st.s.Failures, st.s.Disruptions, st.s.Preemptions, st.s.Resumes, st.s.Requeues = 0, 0, 0, 0, 0
	st.s.Times, st.s.RunDuration, st.s.Ask = v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: &queued}}, nil, nil
	st.s.Grant, st.s.Driver, st.s.Executors, st.s.Stopping = nil, nil, nil, ""
}

// waiting decides for an application that waits for quota: it checks suspend, a newer template and timeouts.admission,
// and asks again.
func waiting(st *state) Decision {
	deleteOrphanedPods(st)
	switch {
	case st.o.App.Spec.Suspend:
		return publishSuspended(st)
	case rerunWanted(st):
		// Nothing runs yet, so the new template replaces the old one. Its ask or grant is released first.
		st.after(Action{Kind: ReleaseGrant})
		return queueNextRun(st)
	}
	if at := admissionDeadline(st); !at.IsZero() && !st.o.Now.Before(at) {
		return endWait(st)
	}
	return askPlanned(st)
}

// askPlanned asks for the planned start once its pause is over. If the restart policy or timeouts.total no longer
// allows another attempt, the run ends with the outcome of the last attempt; the planned one never existed, so the
// status does not mention it.
func askPlanned(st *state) Decision {
	if ended := givenUp(st); ended != nil {
		st.s.Attempt, st.s.Times.Retry = ended.Attempt, nil
		st.after(Action{Kind: ReleaseGrant})
		stage, message := runEnd(st, ended)
		return publishEnd(st, stage, message)
	}
	if pausing(st) {
		return publishPause(st)
	}
	endPause(st)
	start := st.start()
	if st.o.Plan == nil {
		return need(NeedPlan, start)
	}
	if len(st.o.Plan.Findings) > 0 {
		return publishInvalid(st)
	}
	return ask(st, start)
}

// endWait ends a run that has waited for quota longer than timeouts.admission. The ask is withdrawn after that
// has been written to the status.
func endWait(st *state) Decision {
	message := fmt.Sprintf("waited for quota longer than timeouts.admission (%s): %s", st.timeouts().Admission.Duration, st.view.Message)
	recordAttempt(st, v1alpha1.AttemptStatus{
		Outcome: v1alpha1.OutcomeFailed, Reason: string(status.AdmissionTimeout), Cause: v1alpha1.CauseInfrastructure, Message: message,
	})
	countFailure(st, currentEntry(st))
	st.s.Times.ReferenceMissing = nil
	st.after(Action{Kind: ReleaseGrant})
	return publishEnd(st, status.AdmissionTimeout, message)
}

// ask requests the planned start from the gate and acts on its verdict.
func ask(st *state, start Start) Decision {
	if len(st.o.Plan.Missing) > 0 {
		st.s.Queue = st.o.Plan.Queue
		noteBlocked(st)
		// A start that is not possible must neither wait in the queue nor keep a grant.
		st.after(Action{Kind: ReleaseGrant})
		return referenceMissing(st, strings.Join(st.o.Plan.Missing, "; "))
	}
	takePlace(st, &start)
	if st.o.Verdict == nil {
		return need(NeedVerdict, start)
	}
	v := st.o.Verdict
	switch v.State {
	case queueing.Undecided:
		return undecided(st)
	case queueing.Granted:
		if Outdated(st.o.Plan, v) {
			return releaseFirst(st)
		}
		return submit(st, v)
	case queueing.Evicting:
		return releaseFirst(st)
	case queueing.Refused:
		return notAdmitted(st, refusal(v.Reason), v)
	case queueing.Waiting:
		if v.Reason == queueing.ReasonReferenceNotFound {
			return referenceMissing(st, v.Message)
		}
	}
	return notAdmitted(st, status.Queued, v)
}

// releaseFirst releases a grant under which nothing was created, and asks again a second later. Once the status without
// the grant is written, no operator can use the grant any longer, not even one that has lost its lease without knowing
// it yet.
func releaseFirst(st *state) Decision {
	st.after(Action{Kind: ReleaseGrant})
	st.requeue(st.o.Now.Add(time.Second))
	return publishQueued(st, "an earlier grant is released first")
}

// undecided handles a gate that has not looked at the ask yet. The published status stays as it is, unless it still
// shows the end of an earlier run or an outdated place in the queue.
func undecided(st *state) Decision {
	if st.was == status.New && st.neverEdited() || st.was.Waiting() && !placeMoved(st) {
		return st.unchanged()
	}
	return publishQueued(st, "")
}

// notAdmitted publishes why the gate does not admit the start.
func notAdmitted(st *state, stage status.Stage, v *queueing.Verdict) Decision {
	if v.Reason == queueing.ReasonNamespaceNotAllowed {
		// A queue that does not admit the namespace counts as a missing reference.
		awaitReference(st, v.Reason, v.Message)
	} else {
		st.s.Times.ReferenceMissing = nil
	}
	if before := apimeta.FindStatusCondition(st.o.App.Status.Conditions, v1alpha1.AdmittedCondition); v.Preempting &&
		(before == nil || before.Message != v.Message) {
		st.event(false, preemptingReason, v.Message)
	}
	st.view.Admitted = &status.AdmittedView{Reason: v.Reason, Message: v.Message}
	if stage != st.was && stage.Blocked() {
		st.event(true, string(stage), v.Message)
	}
	if stage == status.Queued {
		return publishQueued(st, v.Message)
	}
	return publish(st, stage, v.Message)
}

// referenceMissing waits for an object that does not exist. After --reference-timeout the application is also Stalled,
// but the wait continues.
func referenceMissing(st *state, message string) Decision {
	awaitReference(st, v1alpha1.ReferenceNotFoundReason, message)
	st.requeue(st.o.Now.Add(referenceInterval))
	return publish(st, status.ReferenceNotFound, message)
}

// awaitReference records since when a reference has been missing or forbidden, and whether the wait has exceeded
// --reference-timeout. One event reports when it does.
func awaitReference(st *state, reason, message string) {
	if st.s.Times.ReferenceMissing == nil {
		st.s.Times.ReferenceMissing = st.nowPtr()
	}
	overdue := st.s.Times.ReferenceMissing.Add(st.o.ReferenceTimeout)
	st.view.ReferenceOverdue = !st.o.Now.Before(overdue)
	switch before := st.o.App.Status.Conditions; {
	case !st.view.ReferenceOverdue:
		st.requeue(overdue)
	case !apimeta.IsStatusConditionTrue(before, v1alpha1.StalledCondition):
		st.event(true, reason, fmt.Sprintf("has waited for longer than --reference-timeout (%s): %s", st.o.ReferenceTimeout, message))
	}
}

// publishInvalid publishes the mistakes in the spec and withdraws the ask. No run is counted.
func publishInvalid(st *state) Decision {
	stage, message := mistakesOf(st.o.Plan)
	if st.o.Plan.Outside {
		st.requeue(st.o.Now.Add(correctionInterval(st)))
	}
	if stage != st.was || message != st.view.Message {
		st.event(true, string(stage), message)
	}
	st.s.Times.ReferenceMissing = nil
	noteBlocked(st)
	st.after(Action{Kind: ReleaseGrant})
	return publish(st, stage, message)
}

// correctionInterval returns the pause before a mistake outside of the application is checked again. It grows with the
// time that the application has been stalled: each check reads objects from the API server, and one mistake can stall
// thousands of applications.
func correctionInterval(st *state) time.Duration {
	stalled := apimeta.FindStatusCondition(st.o.App.Status.Conditions, v1alpha1.StalledCondition)
	if stalled == nil {
		return referenceInterval
	}
	return lookAgainAfter(st.o.Now.Sub(stalled.LastTransitionTime.Time) / 10)
}

// submit publishes the stage Submitting with the grant. This is the intent to start: the grant has to be in the status
// before anything is created.
func submit(st *state, v *queueing.Verdict) Decision {
	// A run that continues after it was stopped or preempted uses the current spec, even if onTemplateChange is Ignore.
	st.s.TemplateHash = st.o.Plan.Hash
	st.s.Grant = convert.ToAPI(*v.Grant)
	st.s.Times.Admitted, st.s.Times.ReferenceMissing = st.nowPtr(), nil
	st.s.Driver = &v1alpha1.DriverStatus{PodName: st.o.Plan.DriverPod, ApplicationID: st.o.Plan.ApplicationID,
		UIAddress: st.o.Plan.UIAddress, HistoryAddress: st.o.Plan.HistoryAddress}
	if !st.driverOnly() {
		wanted := min(st.o.Plan.Executors, baseOf(st.s.Grant).Count)
		st.s.Executors = &v1alpha1.ExecutorStatus{Wanted: wanted, Summary: summaryOf(0, wanted)}
	}
	reason := v1alpha1.AdmittedReason
	if v.Reason == queueing.ReasonDelegatedToScheduler {
		reason = v1alpha1.DelegatedToSchedulerReason
	}
	st.view.Admitted = &status.AdmittedView{Admitted: true, Reason: reason, Message: v.Message}
	st.after(Action{Kind: ReportGrant}, Action{Kind: CreateDriver})
	requeueDriverStart(st)
	return publish(st, status.Submitting, st.submittingMessage())
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
