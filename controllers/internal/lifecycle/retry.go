// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"hash/fnv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/status"
)

// Defaults of spec.restartPolicy.
const (
	DefaultMaxAttempts    = 3
	DefaultBackoff        = 10 * time.Second
	DefaultFactor         = 2
	DefaultLongestBackoff = 5 * time.Minute
	DefaultResetAfter     = time.Hour
)

// The pause after an attempt whose executors did not start: it doubles with every such attempt in a row.
const (
	requeueBackoff        = time.Minute
	longestRequeueBackoff = time.Hour
)

// jitterShare is the part of a pause that is added at most, so that jobs which failed together do not come back together.
const jitterShare = 10

// policy is spec.restartPolicy.
func (d *decider) policy() v1alpha1.RestartPolicy {
	if d.o.App.Spec.RestartPolicy == nil {
		return v1alpha1.RestartPolicy{}
	}
	return *d.o.App.Spec.RestartPolicy
}

func (d *decider) maxAttempts() int32 {
	if most := d.policy().MaxAttempts; most != nil {
		return *most
	}
	return DefaultMaxAttempts
}

// retriable says that the restart policy wants another attempt after one that ended like this, if any is left.
func (d *decider) retriable(a *v1alpha1.AttemptStatus) bool {
	policy := d.policy().Type
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

// countFailure counts a failed attempt. One that ran for long enough makes the earlier ones forgotten.
func (d *decider) countFailure(a *v1alpha1.AttemptStatus) {
	if a.Outcome != v1alpha1.OutcomeFailed {
		return
	}
	if a.StartedAt != nil && a.FinishedAt.Sub(a.StartedAt.Time) >= orDefault(d.policy().ResetAfter, DefaultResetAfter) {
		d.s.Failures = 0
	}
	d.s.Failures++
}

// again says that another attempt follows the last one.
func (d *decider) again(a *v1alpha1.AttemptStatus) bool {
	return d.retriable(a) && (a.Outcome == v1alpha1.OutcomeSucceeded || d.s.Failures < d.maxAttempts())
}

// totalUsedUp says that no attempt of the run may run any more.
func (d *decider) totalUsedUp() bool {
	total := d.timeouts().Total
	return total != nil && d.ran() >= total.Duration
}

// retry plans the next attempt after one that has ended: it waits for a pause, in which the run holds nothing, and then queues anew.
func (d *decider) retry(a *v1alpha1.AttemptStatus) Decision {
	pause := d.backoff(a)
	ended := *a
	d.nextAttempt()
	d.pauseFor(pause)
	if d.o.App.Spec.Suspend {
		return d.suspend()
	}
	if ended.Outcome == v1alpha1.OutcomeFailed {
		d.announce(true, v1alpha1.AttemptFailedReason, d.pauseMessage(&ended))
	}
	return d.pause()
}

// backoff is the pause before a retry: it grows with every failure, up to a bound.
func (d *decider) backoff(a *v1alpha1.AttemptStatus) time.Duration {
	b, factor := v1alpha1.Backoff{}, int32(DefaultFactor)
	if policy := d.policy(); policy.Backoff != nil {
		b = *policy.Backoff
	}
	if b.Factor != nil {
		factor = *b.Factor
	}
	failures := d.s.Failures
	if a.Outcome == v1alpha1.OutcomeSucceeded {
		failures = 1
	}
	return grown(orDefault(b.Initial, DefaultBackoff), factor, failures, orDefault(b.Max, DefaultLongestBackoff))
}

// grown is a pause for the nth time: first, and factor times as long every time after, but never longer than longest.
func grown(first time.Duration, factor, nth int32, longest time.Duration) time.Duration {
	pause := first
	for ; nth > 1 && pause < longest; nth-- {
		pause *= time.Duration(factor)
	}
	return min(pause, longest)
}

// sentBack reports whether an attempt that was stopped is one that the run only asks again after.
func sentBack(stopped v1alpha1.StopReason, attempt *v1alpha1.AttemptStatus) bool {
	return stopped == v1alpha1.StopInputsChanged || stopped == v1alpha1.StopExecutorStart && attempt.Outcome == v1alpha1.OutcomeStopped
}

// requeued puts the run back in line after its executors did not start (there was room in the queue, but not on the cluster), or after the
// inputs of its grant have changed. That is no failure. Its place in the queue stands.
func (d *decider) requeued() Decision {
	d.s.Requeues++
	pause := d.requeuePause()
	d.nextAttempt()
	d.pauseFor(pause)
	if d.o.App.Spec.Suspend {
		return d.suspend()
	}
	last := &d.s.Attempts[len(d.s.Attempts)-1]
	d.announce(true, last.Reason, d.pauseMessage(last)) // ExecutorStartTimeout or InputsChanged
	return d.pause()
}

// requeuePause is the pause of a run that was sent back in line.
func (d *decider) requeuePause() time.Duration {
	if n := d.inARow(v1alpha1.StopInputsChanged); n > 0 {
		return grown(replanBackoff, 2, n, longestReplanBackoff)
	}
	return grown(requeueBackoff, 2, d.inARow(v1alpha1.StopExecutorStart), longestRequeueBackoff)
}

// inARow counts the last attempts of the run that were stopped for a reason, without another between them.
func (d *decider) inARow(reason v1alpha1.StopReason) int32 {
	n := int32(0)
	for i := len(d.s.Attempts) - 1; i >= 0 && d.s.Attempts[i].Run == d.s.Run && d.s.Attempts[i].Reason == string(reason); i-- {
		n++
	}
	return n
}

// pauseFor notes when the next attempt asks for room, in whole seconds and not before the pause is over.
func (d *decider) pauseFor(pause time.Duration) {
	at := d.o.Now.Add(pause + d.jitter(pause)).Add(time.Second - time.Nanosecond).Truncate(time.Second)
	d.s.Times.Retry = &metav1.Time{Time: at}
}

// jitter is up to a tenth of a pause, fixed for an attempt.
func (d *decider) jitter(pause time.Duration) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%s/%d/%d", d.o.App.UID, d.s.Run, d.s.Attempt)
	const parts = 1 << 10
	return pause / jitterShare / parts * time.Duration(h.Sum32()%parts)
}

// pausing says that the next attempt does not ask for room yet.
func (d *decider) pausing() bool {
	return d.s.Times.Retry != nil && d.o.Now.Before(d.s.Times.Retry.Time)
}

// pause publishes why the next attempt has to wait, and until when.
func (d *decider) pause() Decision {
	d.requeue(d.s.Times.Retry.Time)
	d.after(Action{Kind: ReleaseGrant}) // an operator may have ended before it could
	last := &d.s.Attempts[len(d.s.Attempts)-1]
	stage := status.Queued
	if last.Outcome == v1alpha1.OutcomeFailed {
		stage = status.AttemptFailed
	}
	return d.publish(stage, d.pauseMessage(last))
}

func (d *decider) pauseMessage(last *v1alpha1.AttemptStatus) string {
	next := fmt.Sprintf("attempt %d will be queued at %s", last.Attempt+1, d.s.Times.Retry.UTC().Format(time.RFC3339))
	switch last.Outcome {
	case v1alpha1.OutcomeSucceeded:
		return fmt.Sprintf("attempt %d has ended and restartPolicy.type is Always: %s", last.Attempt, next)
	case v1alpha1.OutcomeStopped:
		return fmt.Sprintf("attempt %d released its quota: %s; %s", last.Attempt, last.Message, next)
	case v1alpha1.OutcomeFailed:
	}
	return fmt.Sprintf("attempt %d failed (failure %d of at most %d): %s; %s", last.Attempt, d.s.Failures, d.maxAttempts(), last.Message, next)
}

// resumeAsking ends the pause, if there was one. A failed run comes to the end of the line; one that was sent back keeps its place.
func (d *decider) resumeAsking() {
	retry := d.s.Times.Retry
	if retry == nil {
		return
	}
	d.s.Times.Retry = nil
	if last := d.s.Attempts[len(d.s.Attempts)-1]; last.Outcome == v1alpha1.OutcomeStopped {
		return
	}
	if d.s.Times.Queued = retry; d.o.Now.Before(retry.Time) {
		d.s.Times.Queued = d.nowPtr()
	}
}
