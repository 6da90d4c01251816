// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/status"
)

// maxLogTails is the number of newest attempts in the status that keep the end of their log.
const maxLogTails = 3

// history maintains the list of ended attempts in the status, and the total time for which the run's drivers ran.
type history struct {
	*state
}

// record appends the current attempt to the history. It sets the attempt's number, times and log.
func (h history) record(a v1alpha1.AttemptStatus) {
	a.Run, a.Attempt = h.s.Run, h.s.Attempt
	a.StartedAt, a.FinishedAt = h.s.Times.DriverStarted, h.nowPtr()
	if a.Outcome == v1alpha1.OutcomeSucceeded && !h.o.DriverEndedSince.IsZero() && h.o.DriverEndedSince.Before(h.o.Now) {
		seen := metav1.NewTime(h.o.DriverEndedSince.Truncate(time.Second))
		a.FinishedAt = &seen
	}
	if a.StartedAt != nil {
		h.s.RunDuration = &metav1.Duration{Duration: h.ran() + max(0, a.FinishedAt.Sub(a.StartedAt.Time))}
	}
	a.Message = status.Truncate(a.Message)
	h.s.Attempts = append(h.s.Attempts, a)
	if extra := len(h.s.Attempts) - v1alpha1.AttemptsKept; extra > 0 {
		h.s.Attempts = h.s.Attempts[extra:]
	}
	h.keepLogTail()
}

// markSucceeded records that the driver of an attempt had succeeded when it was stopped.
func (h history) markSucceeded(a *v1alpha1.AttemptStatus) {
	a.Outcome, a.Reason, a.Cause, a.ExitCode = v1alpha1.OutcomeSucceeded, "Succeeded", "", ptr.To[int32](0)
	a.Message = "driver ended with exit code 0, before it was asked to end"
}

// last returns the entry of the current attempt, nil if there is none.
func (h history) last() *v1alpha1.AttemptStatus { return h.newest(h.s.Attempt) }

// before returns the entry of the attempt before the planned one, nil if there is none.
func (h history) before() *v1alpha1.AttemptStatus { return h.newest(h.s.Attempt - 1) }

// newest returns the newest entry if it belongs to that attempt of the current run, else nil.
func (h history) newest(attempt int64) *v1alpha1.AttemptStatus {
	if n := len(h.s.Attempts); n > 0 && h.s.Attempts[n-1].Run == h.s.Run && h.s.Attempts[n-1].Attempt == attempt {
		return &h.s.Attempts[n-1]
	}
	return nil
}

// keepLogTail stores the end of the driver's log, if it was read, in the newest entry, and removes the log from entries
// that are too old to keep it.
func (h history) keepLogTail() {
	newest := len(h.s.Attempts) - 1
	if h.o.LogTail != nil {
		h.s.Attempts[newest].LogTail = *h.o.LogTail
	}
	for i := 0; i <= newest-maxLogTails; i++ {
		h.s.Attempts[i].LogTail = ""
	}
}

// preemption returns the entry of the attempt before the planned one if it was preempted, else nil. The stage cannot
// answer that: since the preemption a reference may have been missing or the spec invalid, which are other stages.
func (h history) preemption() *v1alpha1.AttemptStatus {
	if a := h.before(); a != nil && a.Outcome == v1alpha1.OutcomeStopped && a.Reason == string(v1alpha1.StopPreempted) {
		return a
	}
	return nil
}

// entry returns the entry of an attempt, nil if there is none.
func (h history) entry(run, attempt int64) *v1alpha1.AttemptStatus {
	for i := range h.s.Attempts {
		if a := &h.s.Attempts[i]; a.Run == run && a.Attempt == attempt {
			return a
		}
	}
	return nil
}

// consecutive returns how many of the latest attempts of the run, without a gap, were stopped for reason.
func (h history) consecutive(reason v1alpha1.StopReason) int32 {
	n := int32(0)
	for i := len(h.s.Attempts) - 1; i >= 0 && h.s.Attempts[i].Run == h.s.Run && h.s.Attempts[i].Reason == string(reason); i-- {
		n++
	}
	return n
}
