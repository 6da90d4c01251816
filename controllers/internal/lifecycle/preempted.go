// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// A gate may want its room back while an attempt uses it (Observation.Eviction). The attempt is stopped like one that is suspended: the
// intent is written, the pods are asked to end, and the grant goes back when none is active. Then the run waits again. Its time in the
// queue stands, and with it its place; the next attempt has a number of its own, because names of objects follow from it; and nothing
// has failed.

// preempted puts the run back in line after its attempt has given its room back.
func (d *decider) preempted(attempt *v1alpha1.AttemptStatus) Decision {
	d.s.Preemptions++
	d.nextAttempt()
	if d.o.App.Spec.Suspend {
		return d.suspend()
	}
	d.view.Admitted = &status.AdmittedView{Reason: v1alpha1.PreemptedReason, Message: attempt.Message}
	return d.queued("")
}

// nextAttempt makes the status that of another attempt of the run, which has not asked for room yet. The place in the queue stays.
func (d *decider) nextAttempt() {
	d.s.Attempt++
	d.s.Driver, d.s.Executors = nil, nil
	d.s.Times.Admitted, d.s.Times.DriverStarted, d.s.Times.ExecutorsReady = nil, nil, nil
	// It takes the spec as it is by then, so nothing of the spec is ignored or waits any more.
	d.view.Generation, d.view.TemplateIgnored = d.o.App.Generation, ""
}

// queued publishes that the planned start waits in line: after a preemption as Preempted, which goes on to say who took the room, else
// as Queued with the message.
func (d *decider) queued(message string) Decision {
	if taken := d.preemption(); taken != nil {
		return d.publish(status.Preempted, "was preempted and waits for quota again: "+taken.Message)
	}
	return d.publish(status.Queued, message)
}

// preemption is the history's entry of the preempted attempt that the planned one follows; nil if it follows none. It is read from the
// history because the stage forgets: a reference may have been missing since, or the spec wrong.
func (d *decider) preemption() *v1alpha1.AttemptStatus {
	if n := len(d.s.Attempts); n > 0 {
		a := &d.s.Attempts[n-1]
		stopped := a.Outcome == v1alpha1.OutcomeStopped && a.Reason == string(v1alpha1.StopPreempted)
		if stopped && a.Run == d.s.Run && a.Attempt == d.s.Attempt-1 {
			return a
		}
	}
	return nil
}
