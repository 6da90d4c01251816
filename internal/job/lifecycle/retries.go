// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"hash/fnv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// Defaults of spec.restartPolicy.
const (
	DefaultMaxAttempts    = 3
	DefaultBackoff        = 10 * time.Second
	DefaultFactor         = 2
	DefaultLongestBackoff = 5 * time.Minute
	DefaultResetAfter     = time.Hour
)

// maxDisruptions is how many attempts of a run in a row may be disrupted. They do not count for maxAttempts.
const maxDisruptions = 20

// Bounds of the pause after an attempt whose executors did not start. The pause doubles with each consecutive one.
const (
	requeueBackoff    = time.Minute
	maxRequeueBackoff = time.Hour
)

// jitterShare is the part of a pause that may be added to it, as a divisor, so that jobs which failed together do not
// return together.
const jitterShare = 10

// Bounds of the pause before a run asks again after the inputs of its grant have changed. It doubles with each
// consecutive change, so that inputs which never stop changing do not keep the operator busy.
const (
	replanBackoff    = time.Second
	maxReplanBackoff = 5 * time.Minute
)

// pauseAfterLast returns the pause that follows the last attempt, 0 if there was none.
func pauseAfterLast(st *state) time.Duration {
	n := len(st.s.Attempts)
	switch {
	case n == 0:
		return 0
	case st.s.Attempts[n-1].Outcome == v1alpha1.OutcomeStopped:
		return requeuePause(st)
	}
	return backoff(st, &st.s.Attempts[n-1])
}

// runEnd returns the stage and the message with which the run ends after its last attempt.
func runEnd(st *state, attempt *v1alpha1.AttemptStatus) (status.Stage, string) {
	switch reason := status.Stage(attempt.Reason); {
	case attempt.Outcome == v1alpha1.OutcomeSucceeded:
		return status.Succeeded, fmt.Sprintf("run %d succeeded", st.s.Run) + earlyEnd(attempt)
	case mayRetry(st, attempt) && totalExceeded(st):
		return status.TotalDeadlineExceeded, fmt.Sprintf("timeouts.total (%s) leaves no time for another attempt: %s",
			st.timeouts().Total.Duration, attempt.Message)
	case retriable(st, attempt) && isDisrupted(attempt) && st.s.Disruptions >= maxDisruptions:
		return status.RetriesExceeded, fmt.Sprintf("run %d was disrupted %d times in a row, the most that is tried again: %s", st.s.Run, st.s.Disruptions,
			attempt.Message)
	case retriable(st, attempt) && st.s.Failures >= maxAttempts(st):
		return status.RetriesExceeded, fmt.Sprintf("run %d failed %s, and restartPolicy.maxAttempts is %d: %s", st.s.Run, timesInWords(st.s.Failures),
			maxAttempts(st), attempt.Message)
	case reason == status.DriverStartTimeout && attempt.Cause == v1alpha1.CauseConfiguration:
	case reason == status.DriverStartTimeout, reason == status.AdmissionTimeout, reason == status.DeadlineExceeded,
		reason == status.TotalDeadlineExceeded, reason == status.ExecutorStartTimeout, reason == status.GateConflict:
		return reason, attempt.Message
	}
	return status.Failed, fmt.Sprintf("run %d failed: %s", st.s.Run, attempt.Message)
}

// timesInWords returns "once" or "n times".
func timesInWords(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// restartPolicy returns spec.restartPolicy, empty if it is not set.
func restartPolicy(st *state) v1alpha1.RestartPolicy {
	if st.o.App.Spec.RestartPolicy == nil {
		return v1alpha1.RestartPolicy{}
	}
	return *st.o.App.Spec.RestartPolicy
}

// maxAttempts returns restartPolicy.maxAttempts or its default.
func maxAttempts(st *state) int32 {
	if most := restartPolicy(st).MaxAttempts; most != nil {
		return *most
	}
	return DefaultMaxAttempts
}

// retriable reports whether the type of the restart policy allows another attempt after a. It does not look at how many
// have failed.
func retriable(st *state, a *v1alpha1.AttemptStatus) bool {
	policy := restartPolicy(st).Type
	switch {
	case a.Outcome == v1alpha1.OutcomeSucceeded:
		return policy == v1alpha1.RestartAlways
	case a.Cause == v1alpha1.CauseConfiguration, a.Reason == v1alpha1.TotalDeadlineExceededReason, a.Reason == v1alpha1.AdmissionTimeoutReason:
		return false
	case policy == v1alpha1.RestartOnInfrastructureFailure:
		return a.Cause == v1alpha1.CauseInfrastructure
	}
	return policy == v1alpha1.RestartOnFailure || policy == v1alpha1.RestartAlways
}

// isDisrupted reports whether an attempt was ended from outside, which is no failure of its program.
func isDisrupted(a *v1alpha1.AttemptStatus) bool { return pods.IsDisruption(a.Reason, a.Cause) }

// countFailure counts an attempt if it failed, or was disrupted. If it ran at least for restartPolicy.resetAfter, the
// counts start again with it.
func countFailure(st *state, a *v1alpha1.AttemptStatus) {
	if a.Outcome != v1alpha1.OutcomeFailed {
		return
	}
	if a.StartedAt != nil && a.FinishedAt.Sub(a.StartedAt.Time) >= orDefault(restartPolicy(st).ResetAfter, DefaultResetAfter) {
		st.s.Failures, st.s.Disruptions = 0, 0
	}
	if isDisrupted(a) {
		st.s.Disruptions++
		return
	}
	st.s.Failures, st.s.Disruptions = st.s.Failures+1, 0
}

// mayRetry reports whether the restart policy allows another attempt after a, which has been counted.
func mayRetry(st *state, a *v1alpha1.AttemptStatus) bool {
	if isDisrupted(a) {
		return retriable(st, a) && st.s.Disruptions < maxDisruptions
	}
	return retriable(st, a) && (a.Outcome == v1alpha1.OutcomeSucceeded || st.s.Failures < maxAttempts(st))
}

// totalExceeded reports whether the attempts of the run have used up timeouts.total.
func totalExceeded(st *state) bool {
	total := st.timeouts().Total
	return total != nil && st.ran() >= total.Duration
}

// backoff returns the pause before a retry. It grows with every failure, up to a bound.
func backoff(st *state, a *v1alpha1.AttemptStatus) time.Duration {
	b, factor := v1alpha1.Backoff{}, int32(DefaultFactor)
	if policy := restartPolicy(st); policy.Backoff != nil {
		b = *policy.Backoff
	}
	if b.Factor != nil {
		factor = *b.Factor
	}
	failures := st.s.Failures
	switch {
	case a.Outcome == v1alpha1.OutcomeSucceeded:
		failures = 1
	case isDisrupted(a):
		failures = st.s.Disruptions
	}
	first := orDefault(b.Initial, DefaultBackoff)
	return exponentialBackoff(first, factor, failures, orDefault(b.Max, max(first, DefaultLongestBackoff)))
}

// requeuePause returns the pause before a run that was stopped without a failure asks again.
func requeuePause(st *state) time.Duration {
	if n := consecutiveStops(st, v1alpha1.StopInputsChanged); n > 0 {
		return exponentialBackoff(replanBackoff, 2, n, maxReplanBackoff)
	}
	return exponentialBackoff(requeueBackoff, 2, consecutiveStops(st, v1alpha1.StopExecutorStart), maxRequeueBackoff)
}

// pauseFor sets when the next attempt requests quota, rounded up to whole seconds.
func pauseFor(st *state, pause time.Duration) {
	at := st.o.Now.Add(pause + jitter(st, pause)).Add(time.Second - time.Nanosecond).Truncate(time.Second)
	st.s.Times.Retry = &metav1.Time{Time: at}
}

// jitter returns up to a tenth of the pause. It is always the same for one attempt.
func jitter(st *state, pause time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%d/%d", st.o.App.UID, st.s.Run, st.s.Attempt)
	const parts = 1 << 10
	return pause / jitterShare / parts * time.Duration(h.Sum32()%parts)
}

// pausing reports whether the pause before the next attempt is not over.
func pausing(st *state) bool {
	return st.s.Times.Retry != nil && st.o.Now.Before(st.s.Times.Retry.Time)
}

// givenUp returns the attempt after which the run pauses, if no other attempt may follow any longer because
// spec.restartPolicy or timeouts.total was changed during the pause; nil if another may follow.
func givenUp(st *state) *v1alpha1.AttemptStatus {
	ended := previousEntry(st)
	if st.s.Times.Retry == nil || ended == nil || ended.Outcome == v1alpha1.OutcomeStopped || mayRetry(st, ended) && !totalExceeded(st) {
		return nil
	}
	return ended
}

// pauseMessage returns why and until when the next attempt pauses.
func pauseMessage(st *state, last *v1alpha1.AttemptStatus) string {
	next := fmt.Sprintf("attempt %d will be queued at %s", last.Attempt+1, st.s.Times.Retry.UTC().Format(time.RFC3339))
	switch last.Outcome {
	case v1alpha1.OutcomeSucceeded:
		return fmt.Sprintf("attempt %d has ended and restartPolicy.type is Always: %s", last.Attempt, next)
	case v1alpha1.OutcomeStopped:
		return fmt.Sprintf("attempt %d released its quota: %s; %s", last.Attempt, last.Message, next)
	case v1alpha1.OutcomeFailed:
	}
	if isDisrupted(last) {
		return fmt.Sprintf("attempt %d was disrupted, which does not count as a failure (disruption %d of at most %d in a row): %s; %s", last.Attempt, st.s.Disruptions,
			maxDisruptions, last.Message, next)
	}
	return fmt.Sprintf("attempt %d failed (failure %d of at most %d): %s; %s", last.Attempt, st.s.Failures, maxAttempts(st), last.Message, next)
}

// endPause ends the pause, if there is one. A run that failed goes to the end of the queue; one that was stopped
// without a failure keeps its place.
func endPause(st *state) {
	retry := st.s.Times.Retry
	if retry == nil {
		return
	}
	st.s.Times.Retry = nil
	if last := st.s.Attempts[len(st.s.Attempts)-1]; last.Outcome == v1alpha1.OutcomeStopped {
		return
	}
	if st.s.Times.Queued = retry; st.o.Now.Before(retry.Time) {
		st.s.Times.Queued = st.nowPtr()
	}
}

// exponentialBackoff returns the nth pause: first, multiplied by factor for each pause after the first one, at most
// longest.
func exponentialBackoff(first time.Duration, factor, nth int32, longest time.Duration) time.Duration {
	pause := first
	for ; nth > 1 && pause < longest; nth-- {
		if pause > longest/time.Duration(factor) {
			return longest // The product could overflow.
		}
		pause *= time.Duration(factor)
	}
	return min(pause, longest)
}

// isRequeued reports whether the run asks again after an attempt that was stopped without a failure, because its inputs
// changed or its executors did not start.
func isRequeued(stopped v1alpha1.StopReason, attempt *v1alpha1.AttemptStatus) bool {
	return stopped == v1alpha1.StopInputsChanged || stopped == v1alpha1.StopExecutorStart && attempt.Outcome == v1alpha1.OutcomeStopped
}
