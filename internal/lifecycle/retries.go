// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"hash/fnv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// Defaults of spec.restartPolicy.
const (
	DefaultMaxAttempts    = 3
	DefaultBackoff        = 10 * time.Second
	DefaultFactor         = 2
	DefaultLongestBackoff = 5 * time.Minute
	DefaultResetAfter     = time.Hour
)

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

// retries decides whether another attempt follows. It maintains the number of failures, and the pause before the next
// attempt.
type retries struct {
	*state
	history history
}

// pauseAfterLast returns the pause that follows the last attempt, 0 if there was none.
func (rt retries) pauseAfterLast() time.Duration {
	n := len(rt.s.Attempts)
	switch {
	case n == 0:
		return 0
	case rt.s.Attempts[n-1].Outcome == v1alpha1.OutcomeStopped:
		return rt.requeuePause()
	}
	return rt.backoff(&rt.s.Attempts[n-1])
}

// endOf returns the stage and the message with which the run ends after its last attempt.
func (rt retries) endOf(attempt *v1alpha1.AttemptStatus) (status.Stage, string) {
	switch reason := status.Stage(attempt.Reason); {
	case attempt.Outcome == v1alpha1.OutcomeSucceeded:
		return status.Succeeded, fmt.Sprintf("run %d succeeded", rt.s.Run)
	case rt.another(attempt) && rt.totalExceeded():
		return status.TotalDeadlineExceeded, fmt.Sprintf("timeouts.total (%s) leaves no time for another attempt: %s",
			rt.timeouts().Total.Duration, attempt.Message)
	case rt.retriable(attempt) && rt.s.Failures >= rt.maxAttempts():
		return status.RetriesExceeded, fmt.Sprintf("run %d failed %s, and restartPolicy.maxAttempts is %d: %s", rt.s.Run, times(rt.s.Failures),
			rt.maxAttempts(), attempt.Message)
	case reason == status.DriverStartTimeout && attempt.Cause == v1alpha1.CauseConfiguration:
	case reason == status.DriverStartTimeout, reason == status.AdmissionTimeout, reason == status.DeadlineExceeded,
		reason == status.TotalDeadlineExceeded, reason == status.ExecutorStartTimeout, reason == status.GateConflict:
		return reason, attempt.Message
	}
	return status.Failed, fmt.Sprintf("run %d failed: %s", rt.s.Run, attempt.Message)
}

// times returns "once" or "n times".
func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// policy returns spec.restartPolicy, empty if it is not set.
func (rt retries) policy() v1alpha1.RestartPolicy {
	if rt.o.App.Spec.RestartPolicy == nil {
		return v1alpha1.RestartPolicy{}
	}
	return *rt.o.App.Spec.RestartPolicy
}

// maxAttempts returns restartPolicy.maxAttempts or its default.
func (rt retries) maxAttempts() int32 {
	if most := rt.policy().MaxAttempts; most != nil {
		return *most
	}
	return DefaultMaxAttempts
}

// retriable reports whether the type of the restart policy allows another attempt after a. It does not look at how many
// have failed.
func (rt retries) retriable(a *v1alpha1.AttemptStatus) bool {
	policy := rt.policy().Type
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

// countFailure counts an attempt if it failed. If it ran at least for restartPolicy.resetAfter, the count starts again
// with it.
func (rt retries) countFailure(a *v1alpha1.AttemptStatus) {
	if a.Outcome != v1alpha1.OutcomeFailed {
		return
	}
	if a.StartedAt != nil && a.FinishedAt.Sub(a.StartedAt.Time) >= orDefault(rt.policy().ResetAfter, DefaultResetAfter) {
		rt.s.Failures = 0
	}
	rt.s.Failures++
}

// another reports whether the restart policy allows another attempt after a, which has been counted.
func (rt retries) another(a *v1alpha1.AttemptStatus) bool {
	return rt.retriable(a) && (a.Outcome == v1alpha1.OutcomeSucceeded || rt.s.Failures < rt.maxAttempts())
}

// totalExceeded reports whether the attempts of the run have used up timeouts.total.
func (rt retries) totalExceeded() bool {
	total := rt.timeouts().Total
	return total != nil && rt.ran() >= total.Duration
}

// backoff returns the pause before a retry. It grows with every failure, up to a bound.
func (rt retries) backoff(a *v1alpha1.AttemptStatus) time.Duration {
	b, factor := v1alpha1.Backoff{}, int32(DefaultFactor)
	if policy := rt.policy(); policy.Backoff != nil {
		b = *policy.Backoff
	}
	if b.Factor != nil {
		factor = *b.Factor
	}
	failures := rt.s.Failures
	if a.Outcome == v1alpha1.OutcomeSucceeded {
		failures = 1
	}
	first := orDefault(b.Initial, DefaultBackoff)
	return exponentialBackoff(first, factor, failures, orDefault(b.Max, max(first, DefaultLongestBackoff)))
}

// requeuePause returns the pause before a run that was stopped without a failure asks again.
func (rt retries) requeuePause() time.Duration {
	if n := rt.history.consecutive(v1alpha1.StopInputsChanged); n > 0 {
		return exponentialBackoff(replanBackoff, 2, n, maxReplanBackoff)
	}
	return exponentialBackoff(requeueBackoff, 2, rt.history.consecutive(v1alpha1.StopExecutorStart), maxRequeueBackoff)
}

// pauseFor sets when the next attempt requests quota, rounded up to whole seconds.
func (rt retries) pauseFor(pause time.Duration) {
	at := rt.o.Now.Add(pause + rt.jitter(pause)).Add(time.Second - time.Nanosecond).Truncate(time.Second)
	rt.s.Times.Retry = &metav1.Time{Time: at}
}

// jitter returns up to a tenth of the pause. It is always the same for one attempt.
func (rt retries) jitter(pause time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%d/%d", rt.o.App.UID, rt.s.Run, rt.s.Attempt)
	const parts = 1 << 10
	return pause / jitterShare / parts * time.Duration(h.Sum32()%parts)
}

// pausing reports whether the pause before the next attempt is not over.
func (rt retries) pausing() bool {
	return rt.s.Times.Retry != nil && rt.o.Now.Before(rt.s.Times.Retry.Time)
}

// givenUp returns the attempt after which the run pauses, if no other attempt may follow any longer because
// spec.restartPolicy or timeouts.total was changed during the pause; nil if another may follow.
func (rt retries) givenUp() *v1alpha1.AttemptStatus {
	ended := rt.history.before()
	if rt.s.Times.Retry == nil || ended == nil || ended.Outcome == v1alpha1.OutcomeStopped || rt.another(ended) && !rt.totalExceeded() {
		return nil
	}
	return ended
}

// pauseMessage returns why and until when the next attempt pauses.
func (rt retries) pauseMessage(last *v1alpha1.AttemptStatus) string {
	next := fmt.Sprintf("attempt %d will be queued at %s", last.Attempt+1, rt.s.Times.Retry.UTC().Format(time.RFC3339))
	switch last.Outcome {
	case v1alpha1.OutcomeSucceeded:
		return fmt.Sprintf("attempt %d has ended and restartPolicy.type is Always: %s", last.Attempt, next)
	case v1alpha1.OutcomeStopped:
		return fmt.Sprintf("attempt %d released its quota: %s; %s", last.Attempt, last.Message, next)
	case v1alpha1.OutcomeFailed:
	}
	return fmt.Sprintf("attempt %d failed (failure %d of at most %d): %s; %s", last.Attempt, rt.s.Failures, rt.maxAttempts(), last.Message, next)
}

// endPause ends the pause, if there is one. A run that failed goes to the end of the queue; one that was stopped
// without a failure keeps its place.
func (rt retries) endPause() {
	retry := rt.s.Times.Retry
	if retry == nil {
		return
	}
	rt.s.Times.Retry = nil
	if last := rt.s.Attempts[len(rt.s.Attempts)-1]; last.Outcome == v1alpha1.OutcomeStopped {
		return
	}
	if rt.s.Times.Queued = retry; rt.o.Now.Before(retry.Time) {
		rt.s.Times.Queued = rt.nowPtr()
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
