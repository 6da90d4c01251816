// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
)

// endedBefore is the message of an attempt that had succeeded when it was to be stopped.
const endedBefore = "driver ended with exit code 0, before it was asked to end"

// recordAttempt appends the current attempt to the history. It sets the attempt's number and times.
func recordAttempt(st *state, a v1alpha1.AttemptStatus) {
	a.Run, a.Attempt = st.s.Run, st.s.Attempt
	a.StartedAt, a.FinishedAt = st.s.Times.DriverStarted, st.nowPtr()
	if driver := st.lastSeenDriver(); driver != nil && driver.Ended != nil && driver.Ended.At > 0 {
		a.FinishedAt = st.between(a.StartedAt, driver.Ended.At)
	} else if since := st.o.DriverEndedSince; !since.IsZero() {
		a.FinishedAt = st.between(a.StartedAt, since.Unix())
	}
	if a.StartedAt != nil {
		st.s.RunDuration = &metav1.Duration{Duration: st.ran() + max(0, a.FinishedAt.Sub(a.StartedAt.Time))}
	}
	a.Message = status.Truncate(a.Message)
	st.s.Attempts = append(st.s.Attempts, a)
	if extra := len(st.s.Attempts) - v1alpha1.AttemptsKept; extra > 0 {
		st.s.Attempts = st.s.Attempts[extra:]
	}
}

// markSucceeded records that the driver of an attempt had succeeded when it was stopped.
func markSucceeded(a *v1alpha1.AttemptStatus) {
	a.Outcome, a.Reason, a.Cause, a.ExitCode = v1alpha1.OutcomeSucceeded, "Succeeded", "", ptr.To[int32](0)
	a.Message = endedBefore
}

// earlyEnd returns the message of an attempt that had succeeded when it was stopped, as an event has said; empty for
// others.
func earlyEnd(a *v1alpha1.AttemptStatus) string {
	if a.Message != endedBefore {
		return ""
	}
	return ": " + endedBefore
}

// currentEntry returns the entry of the current attempt, nil if there is none.
func currentEntry(st *state) *v1alpha1.AttemptStatus { return newestEntry(st, st.s.Attempt) }

// previousEntry returns the entry of the attempt before the planned one, nil if there is none.
func previousEntry(st *state) *v1alpha1.AttemptStatus { return newestEntry(st, st.s.Attempt-1) }

// newestEntry returns the newest entry if it belongs to that attempt of the current run, else nil.
func newestEntry(st *state, attempt int64) *v1alpha1.AttemptStatus {
	if n := len(st.s.Attempts); n > 0 && st.s.Attempts[n-1].Run == st.s.Run && st.s.Attempts[n-1].Attempt == attempt {
		return &st.s.Attempts[n-1]
	}
	return nil
}

// preemptedEntry returns the entry of the attempt before the planned one if it was preempted, else nil. The stage
// cannot answer that: since the preemption a reference may have been missing or the spec invalid, which are other
// stages.
func preemptedEntry(st *state) *v1alpha1.AttemptStatus {
	if a := previousEntry(st); a != nil && a.Outcome == v1alpha1.OutcomeStopped && a.Reason == string(v1alpha1.StopPreempted) {
		return a
	}
	return nil
}

// entryOf returns the entry of an attempt, nil if there is none.
func entryOf(st *state, run, attempt int64) *v1alpha1.AttemptStatus {
	for i := range st.s.Attempts {
		if a := &st.s.Attempts[i]; a.Run == run && a.Attempt == attempt {
			return a
		}
	}
	return nil
}

// consecutiveStops returns how many of the latest attempts of the run, without a gap, were stopped for reason.
func consecutiveStops(st *state, reason v1alpha1.StopReason) int32 {
	n := int32(0)
	for i := len(st.s.Attempts) - 1; i >= 0 && st.s.Attempts[i].Run == st.s.Run && st.s.Attempts[i].Reason == string(reason); i-- {
		n++
	}
	return n
}
