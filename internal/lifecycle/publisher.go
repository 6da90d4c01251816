// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// publisher completes decisions: it sets stage, message and conditions in the status to publish.
type publisher struct{ policies }

// publish returns the complete decision, whose status says that the application is in that stage.
func (pb publisher) publish(stage status.Stage, message string) Decision {
	message, news := pb.rerun.announce(stage, message)
	if news != nil {
		pb.event(news.Warning, news.Reason, news.Message)
	}
	pb.view.Stage, pb.view.Message = stage, message
	if pb.view.Generation == 0 {
		pb.view.Generation = pb.o.App.Generation
	}
	pb.view.NodeLost, pb.view.Contested = pb.termination.nodeLost(), contested(&pb.s)
	pb.trackWaiting(stage)
	pb.retention.expire(stage)
	pb.s.ObservedGeneration = pb.view.Generation
	pb.s.Conditions = status.Conditions(pb.o.App.Status.Conditions, pb.view, pb.now())
	pb.decision.Status = pb.s
	// A PUT of a manifest (kubectl replace) drops the finalizer, so it is required again while a grant is held.
	pb.decision.Finalizer = pb.s.Grant != nil && pb.o.App.DeletionTimestamp.IsZero()
	return pb.decision
}

// contested returns the message about two operators that both manage the namespace, and which of them decides; empty if
// there is only one.
func contested(s *v1alpha1.SparkApplicationStatus) string {
	if s.Operator == "" || s.OtherOperator == "" {
		return ""
	}
	return fmt.Sprintf("the operators in namespaces %s and %s both manage this namespace; the one in %s decides on this application: "+
		"change --watch-namespaces or --queue-selector of one of them", s.Operator, s.OtherOperator, s.Operator)
}

// trackWaiting records since when the application has waited for quota, or that it does not wait.
func (pb publisher) trackWaiting(stage status.Stage) {
	switch {
	case pb.view.UnknownStage != "":
		return
	case !stage.Waiting() && !pb.delegation.awaitsNode(stage), pb.retries.pausing():
		pb.s.Times.Waiting = nil
		return
	case pb.s.Times.Waiting == nil:
		pb.s.Times.Waiting = pb.nowPtr()
	}
	if at := pb.deadlines.admission(); !at.IsZero() {
		pb.requeue(at)
	}
}

// unknown leaves the application as it is, because a newer operator has written a stage that this version does not
// know.
func (pb publisher) unknown() Decision {
	ready := apimeta.FindStatusCondition(pb.o.App.Status.Conditions, v1alpha1.ReadyCondition)
	pb.view.UnknownStage = "stage " + ready.Reason + " is not known to this version of the operator; it leaves the application alone"
	pb.view.Generation = pb.o.App.Status.ObservedGeneration
	return pb.publish(status.Stage(ready.Reason), ready.Message)
}

// suspend publishes that the application is held by spec.suspend. The ask is withdrawn after that has been written.
func (pb publisher) suspend() Decision {
	pb.s.Times.ReferenceMissing = nil
	// An application that is resumed does not wait for the rest of a pause.
	pb.retries.endPause()
	pb.after(Action{Kind: ReleaseGrant})
	return pb.publish(status.Suspended, "suspended: set spec.suspend to false to resume")
}

// end publishes the end of the run, with an event.
func (pb publisher) end(stage status.Stage, message string) Decision {
	pb.s.Times.Finished, pb.s.Ask = pb.nowPtr(), nil
	if e := pb.s.Executors; e != nil {
		e.Summary = summaryOf(e.Peak, max(e.Peak, e.Wanted))
	}
	pb.event(stage != status.Succeeded, string(stage), message)
	return pb.publish(stage, pb.retention.ttl(message))
}

// queued publishes that the planned start waits in the queue: as Preempted if the attempt before it was preempted, else
// as Queued. The message says why it waits now, then who took its quota.
func (pb publisher) queued(message string) Decision {
	switch taken := pb.history.preemption(); {
	case taken != nil && message == "":
		return pb.publish(status.Preempted, "was preempted and waits for quota again: "+taken.Message)
	case taken != nil:
		return pb.publish(status.Preempted, message+"; was preempted before: "+taken.Message)
	}
	return pb.publish(status.Queued, message)
}

// pause publishes why the next attempt pauses, and until when.
func (pb publisher) pause() Decision {
	pb.requeue(pb.s.Times.Retry.Time)
	// An operator may have ended before it could release the grant.
	pb.after(Action{Kind: ReleaseGrant})
	last := &pb.s.Attempts[len(pb.s.Attempts)-1]
	stage := status.Queued
	if last.Outcome == v1alpha1.OutcomeFailed {
		stage = status.AttemptFailed
	}
	return pb.publish(stage, pb.retries.pauseMessage(last))
}

// requeueDriverStart asks for a look at the deadline for the driver to run.
func (pb publisher) requeueDriverStart() { pb.requeue(pb.deadlines.driverRunning()) }
