// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// publish returns the complete decision, whose status says that the application is in that stage.
func publish(st *state, stage status.Stage, message string) Decision {
	message, news := announceRerun(st, stage, message)
	if news != nil {
		st.event(news.Warning, news.Reason, news.Message)
	}
	st.view.Stage, st.view.Message = stage, message
	if st.view.Generation == 0 {
		st.view.Generation = st.o.App.Generation
	}
	st.view.NodeLost = nodeLostMessage(st)
	trackWaiting(st, stage)
	noteMove(st)
	expireAttempts(st, stage)
	st.s.ObservedGeneration = st.view.Generation
	st.s.Conditions = status.Conditions(st.o.App.Status.Conditions, st.view, st.now())
	st.decision.Status = st.s
	// A PUT of a manifest (kubectl replace) drops the finalizer, so it is required again while a grant is held.
	st.decision.Finalizer = st.s.Grant != nil && st.o.App.DeletionTimestamp.IsZero()
	return st.decision
}

// trackWaiting records since when the application has waited for quota, or that it does not wait.
func trackWaiting(st *state, stage status.Stage) {
	switch {
	case st.view.UnknownStage != "":
		return
	case !stage.Waiting() && !awaitsNode(st, stage), pausing(st):
		st.s.Times.Waiting = nil
		return
	case st.s.Times.Waiting == nil:
		st.s.Times.Waiting = st.nowPtr()
	}
	st.requeue(admissionDeadline(st))
}

// publishUnknown leaves the application as it is, because a newer operator has written a stage that this version does
// not know.
func publishUnknown(st *state) Decision {
	ready := apimeta.FindStatusCondition(st.o.App.Status.Conditions, v1alpha1.ReadyCondition)
	st.view.UnknownStage = "stage " + ready.Reason + " is not known to this version of the operator; it leaves the application alone"
	st.view.Generation = st.o.App.Status.ObservedGeneration
	return publish(st, status.Stage(ready.Reason), ready.Message)
}

// publishSuspended publishes that the application is held by spec.suspend. The ask is withdrawn after that has been
// written.
func publishSuspended(st *state) Decision {
	st.s.Times.ReferenceMissing = nil
	// An application that is resumed does not wait for the rest of a pause.
	endPause(st)
	st.after(Action{Kind: ReleaseGrant})
	return publish(st, status.Suspended, "suspended: set spec.suspend to false to resume")
}

// publishIdle publishes that timeouts.idle has stopped the server, and why. Its quota is released after that has been
// written.
func publishIdle(st *state, why string) Decision {
	st.after(Action{Kind: ReleaseGrant})
	return publish(st, status.Idle, why+": sparkctl resume starts it, and so does a change of the spec")
}

// publishEnd publishes the end of the run, with an event.
func publishEnd(st *state, stage status.Stage, message string) Decision {
	st.s.Times.Finished, st.s.Ask = st.nowPtr(), nil
	if e := st.s.Executors; e != nil {
		e.Summary = summaryOf(e.Peak, max(e.Peak, e.Wanted))
	}
	st.event(stage != status.Succeeded, string(stage), message)
	return publish(st, stage, applyTTL(st, message))
}

// publishQueued publishes that the planned start waits in the queue: as Preempted if the attempt before it was
// preempted, else as Queued. The message says why it waits now, then who took its quota.
func publishQueued(st *state, message string) Decision {
	switch taken := preemptedEntry(st); {
	case taken != nil && message == "":
		return publish(st, status.Preempted, "was preempted and waits for quota again: "+taken.Message)
	case taken != nil:
		return publish(st, status.Preempted, message+"; was preempted before: "+taken.Message)
	}
	return publish(st, status.Queued, message)
}

// publishPause publishes why the next attempt pauses, and until when.
func publishPause(st *state) Decision {
	st.requeue(st.s.Times.Retry.Time)
	// An operator may have ended before it could release the grant.
	st.after(Action{Kind: ReleaseGrant})
	last := &st.s.Attempts[len(st.s.Attempts)-1]
	stage := status.Queued
	if last.Outcome == v1alpha1.OutcomeFailed {
		stage = status.AttemptFailed
	}
	return publish(st, stage, pauseMessage(st, last))
}

// requeueDriverStart asks for a look at the deadline for the driver to run.
func requeueDriverStart(st *state) { st.requeue(driverRunningBy(st)) }
