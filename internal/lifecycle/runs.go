// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// runs begins and suspends runs, and follows those that have ended.
type runs struct {
	policies
	publisher publisher
	admission admission
	ending    ending
}

// ended follows a run that has ended: it starts another one if that is wanted, and deletes what was kept when its time
// is over.
func (rs runs) ended() Decision {
	if rs.rerun.wanted() {
		return rs.startRun()
	}
	rs.rerun.observeSpec()
	for _, r := range rs.activePods() {
		rs.termination.deletePod(r)
	}
	rs.after(Action{Kind: ReleaseGrant})
	return rs.publisher.publish(rs.was, rs.retention.ttl(rs.view.Message))
}

// republishEnd publishes the end of the last run again, after the spec was invalid and was changed back to what that
// run executed.
func (rs runs) republishEnd() Decision {
	attempt := rs.history.last()
	switch {
	case attempt == nil || attempt.Outcome == v1alpha1.OutcomeStopped:
		return rs.resume()
	// ^ The run had not ended: its next attempt was about to be planned when the spec turned out to be invalid.
	case rs.s.Times.Finished == nil && rs.retries.another(attempt) && !rs.retries.totalExceeded():
		return rs.ending.retry(attempt)
	case rs.s.Times.Finished == nil:
		rs.s.Times.Finished = attempt.FinishedAt
	}
	return rs.publisher.publish(rs.retries.endOf(attempt))
}

// suspended waits until spec.suspend is false.
func (rs runs) suspended() Decision {
	switch {
	case rs.o.App.Spec.Suspend:
		rs.termination.deleteOrphanedPods()
		return rs.publisher.suspend()
	case rs.s.Run == 0 || rs.rerun.wanted():
		return rs.startRun()
	}
	if last := rs.history.last(); last != nil && last.Outcome != v1alpha1.OutcomeStopped {
		return rs.republishEnd()
	}
	// Suspending gives up the place in the queue.
	rs.s.Times.Queued = rs.nowPtr()
	return rs.resume()
}

// resume continues a run after it was suspended: with the attempt that never started, else with another one. That does
// not count as a failure.
func (rs runs) resume() Decision {
	if rs.history.last() != nil {
		rs.s.Resumes++
		rs.nextAttempt()
	}
	return rs.admission.askPlanned()
}

// startRun plans a new run and asks for it.
func (rs runs) startRun() Decision {
	if rs.was == status.New && rs.leftBehind() {
		rs.decision.Status = *rs.o.App.Status.DeepCopy()
		return rs.decision
	}
	if rs.o.App.Spec.Suspend {
		return rs.publisher.suspend()
	}
	if blocked := rs.was == status.InvalidSpec || rs.was == status.NotYetSupported; blocked && rs.s.Run > 0 && !rs.rerun.wanted() {
		return rs.republishEnd()
	}
	start := rs.rerun.next()
	if rs.neverEdited() {
		start.QueuedAt = rs.o.App.CreationTimestamp.Time
	}
	if rs.o.Plan == nil {
		return need(NeedPlan, start)
	}
	if len(rs.o.Plan.Findings) > 0 {
		return rs.admission.invalid()
	}
	rs.admission.newRun(start)
	return rs.admission.ask(start)
}

// leftBehind reports whether there are pods beside which the first attempt cannot begin, although the status knows of no attempt: another client has
// emptied it. They are ended first: the active ones of other attempts, and what has ended and has the names of the first one.
func (rs runs) leftBehind() (some bool) {
	first := rs.rerun.next()
	for _, r := range rs.o.Pods {
		if isFirst := r.Run == first.Run && r.Attempt == first.Attempt; r.Active() != isFirst {
			rs.termination.deletePod(r)
			some = true
		}
	}
	return some
}
