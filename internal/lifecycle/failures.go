// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/pods"
)

// maxExecutorFailures is the number of failed executors of an attempt that the status shows.
const maxExecutorFailures = 5

// failures counts the executors of the attempt that failed.
type failures struct {
	*state
}

// count counts the executors of the attempt that failed, each once, and returns the newest of them, oldest first.
//
// The status is the memory: pods of failed executors are soon gone, and a new operator has seen none of them. It has
// the number, and the newest by time. A failure that was seen and is not among them is new, unless it is older than all
// of them: then it was counted before, and newer ones have replaced it. Only when more failures become known late than
// the status shows, to an operator that has seen none of the earlier ones, is the number too small.
func (fs failures) count() (failed int32, newest []v1alpha1.ExecutorFailure) {
	var shown []v1alpha1.ExecutorFailure
	if before := fs.s.Executors; before != nil {
		failed, shown = before.Failed, before.Failures
	}
	newest = slices.Clone(shown)
	seen := int32(0)
	for _, f := range fs.o.ExecutorFailures {
		if fs.endedWithDriver(f) {
			continue
		}
		seen++
		if !countedBefore(f, shown) {
			failed++
			newest = append(newest, fs.shown(f))
		}
	}
	slices.SortStableFunc(newest, func(a, b v1alpha1.ExecutorFailure) int {
		return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.Pod, b.Pod))
	})
	return max(failed, seen), newest[max(0, len(newest)-maxExecutorFailures):]
}

// endedWithDriver reports whether an executor ended because its driver had gone, which is not a failure of its own.
func (fs failures) endedWithDriver(f pods.Failure) bool {
	driver := fs.driver()
	return driver != nil && driver.Ended != nil && driver.Ended.At > 0 && f.At >= driver.Ended.At
}

// shown converts a failure to the API. A failure without a time gets that of this pass.
func (fs failures) shown(f pods.Failure) v1alpha1.ExecutorFailure {
	at := fs.now()
	if f.At > 0 {
		at = metav1.NewTime(time.Unix(f.At, 0))
	}
	return v1alpha1.ExecutorFailure{Pod: f.Pod, Reason: f.Reason, Cause: f.Cause, ExitCode: f.ExitCode, Message: f.Message, At: at}
}

// note ends the message about a driver that failed after executors of it had failed: they may be the cause. Empty if
// none had.
func (fs failures) note() string {
	e := fs.s.Executors
	if e == nil || len(e.Failures) == 0 {
		return ""
	}
	last := e.Failures[len(e.Failures)-1]
	return fmt.Sprintf("; executors that had failed before: %d, the last one: %s", e.Failed, last.Message)
}

// countedBefore reports whether a failure is one of those shown, or older than all of them while the list is full.
func countedBefore(f pods.Failure, shown []v1alpha1.ExecutorFailure) bool {
	if slices.ContainsFunc(shown, func(s v1alpha1.ExecutorFailure) bool { return s.Pod == f.Pod }) {
		return true
	}
	if len(shown) < maxExecutorFailures {
		return false
	}
	oldest := pods.Failure{Pod: shown[0].Pod, At: shown[0].At.Unix()}
	return f.Compare(oldest) < 0
}
