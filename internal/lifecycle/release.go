// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// Release returns how the attempt that held or requested quota ends for its gate, from the status that was
// published before the release. If the run continues, that status names the next attempt; the ended one is then the
// last in the history, if it ever held a grant.
func Release(app *v1alpha1.SparkApplication) queueing.Release {
	if !app.DeletionTimestamp.IsZero() {
		return queueing.Release{Reason: queueing.Deleted}
	}
	s, release := &app.Status, queueing.Release{Reason: queueing.Abandoned}
	stage, _ := status.StageOf(s.Conditions)
	left := leftAttempt(s)
	if left != nil && left.Outcome != v1alpha1.OutcomeStopped {
		release.Ended = &queueing.AttemptResult{Run: left.Run, Attempt: left.Attempt, Succeeded: left.Outcome == v1alpha1.OutcomeSucceeded, Message: left.Message}
	}
	switch {
	case !stage.Waiting(), stage == status.ReferenceNotFound, left == nil, left.Run != s.Run, left.Outcome != v1alpha1.OutcomeStopped:
	case s.Times.Retry != nil:
		release.Reason, release.Message = queueing.Suspended, left.Message
	default:
		release.Reason, release.Message = queueing.Requeued, left.Message
	}
	return release
}

// leftAttempt returns the history's entry of the ended attempt: the current one, or the one before the planned one;
// nil if it was never recorded.
func leftAttempt(s *v1alpha1.SparkApplicationStatus) *v1alpha1.AttemptStatus {
	n := len(s.Attempts)
	if n == 0 {
		return nil
	}
	last := &s.Attempts[n-1]
	sameRun := last.Run == s.Run && (last.Attempt == s.Attempt || last.Attempt == s.Attempt-1)
	if sameRun || s.Attempt == 1 && last.Run == s.Run-1 {
		return last
	}
	return nil
}

// Progress returns the state of the attempt that holds a grant, as its status says; false when it does not start or
// run.
func Progress(app *v1alpha1.SparkApplication) (queueing.Progress, bool) {
	s := &app.Status
	stage, _ := status.StageOf(s.Conditions)
	if s.Grant == nil || !app.DeletionTimestamp.IsZero() || !stage.Active() || stage == status.Finalizing {
		return queueing.Progress{}, false
	}
	p := queueing.Progress{Run: s.Grant.Run, Attempt: s.Grant.Attempt}
	if q := app.Spec.Queue; q != nil {
		p.PriorityClass = q.PriorityClassName
	}
	if s.Times.ExecutorsReady != nil {
		p.Phase = queueing.AttemptPodsReady
		// Dynamic allocation may let all of them go; then none is on its way.
		if e := s.Executors; e != nil && e.Ready == 0 && e.Pending > 0 {
			p.Phase = queueing.AttemptExecutorsLost
		}
	}
	return p, true
}
