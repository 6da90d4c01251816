// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// ended looks after a run that is over: another run may be wanted, and what was kept goes after a while.
func (d *decider) ended() Decision {
	if d.anotherRun() {
		return d.begin()
	}
	d.observeSpec()
	for _, r := range d.activePods() {
		d.askToEnd(r)
	}
	d.after(Action{Kind: ReleaseGrant})
	return d.publish(d.was, d.liveOut(d.view.Message))
}

// endAgain shows the end of the last run again: the spec was invalid in between and is back to what that run executed.
func (d *decider) endAgain() Decision {
	attempt := d.last()
	switch {
	case attempt == nil || attempt.Outcome == v1alpha1.OutcomeStopped:
		return d.resume()
	// The run had not ended: the next one, which was invalid, was to begin in the same pass.
	case d.s.Times.Finished == nil && d.again(attempt) && !d.totalUsedUp():
		return d.retry(attempt)
	case d.s.Times.Finished == nil:
		d.s.Times.Finished = attempt.FinishedAt
	}
	return d.publish(d.endOf(attempt))
}

// suspend publishes that spec.suspend holds the application. What it asked for is taken back once that is written.
func (d *decider) suspend() Decision {
	d.s.Times.ReferenceMissing = nil
	d.resumeAsking() // whoever resumes it does not want to wait for the rest of a pause
	d.after(Action{Kind: ReleaseGrant})
	return d.publish(status.Suspended, "suspended: set spec.suspend to false to resume")
}

// suspended waits for spec.suspend to be false again.
func (d *decider) suspended() Decision {
	switch {
	case d.o.App.Spec.Suspend:
		d.deleteStrays()
		return d.suspend()
	case d.s.Run == 0 || d.anotherRun():
		return d.begin()
	}
	if last := d.last(); last != nil && last.Outcome != v1alpha1.OutcomeStopped {
		return d.endAgain()
	}
	d.s.Times.Queued = d.nowPtr() // whoever leaves the line by choice comes back to its end
	return d.resume()
}

// resume goes on with a run that was held: as the attempt that never started, else as a new one, which is no failure.
func (d *decider) resume() Decision {
	if d.last() != nil {
		d.s.Resumes++
		d.nextAttempt()
	}
	if d.pausing() {
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

// deleted ends everything, then lets the application go.
func (d *decider) deleted() Decision {
	d.d.Status = *d.o.App.Status.DeepCopy()
	if d.nodesNeeded() {
		return d.need(NeedNodes, Start{})
	}
	if len(d.activePods()) > 0 {
		d.endPods()
		if lost := d.nodeLost(); lost != "" {
			d.view.Generation = d.o.App.Status.ObservedGeneration
			return d.publish(d.was, d.view.Message)
		}
		return d.d
	}
	if d.was.Active() && d.driverInDoubt() {
		return d.need(NeedDriverAbsent, d.start())
	}
	d.after(Action{Kind: ReleaseGrant}, Action{Kind: RemoveFinalizer})
	return d.d
}
