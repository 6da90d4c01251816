// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/queueing"
)

// Release returns how the attempt that held or requested quota has ended, for its gate. It reads the status that was
// published before the release. If the run continues, that status already names the next attempt, and the ended one is
// the last in the history, if it ever held a grant.
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

// leftAttempt returns the entry of the attempt that has ended, which is the current one or the one before it; nil if
// none was recorded.
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

// Progress returns how far the attempt that holds a grant is, according to its status. It returns false if the attempt
// does not start or run.
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
		// Under dynamic allocation Spark may release all executors. They are lost only if others are pending.
		if e := s.Executors; e != nil && e.Ready == 0 && e.Pending > 0 {
			p.Phase = queueing.AttemptPodsLost
		}
	}
	return p, true
}
