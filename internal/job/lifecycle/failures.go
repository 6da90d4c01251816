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
	"github.com/sparkgate/sparkgate/internal/job/pods"
)

// maxExecutorFailures is the number of failed executors that the status lists for an attempt.
const maxExecutorFailures = 5

// countFailures returns how many executors of the attempt have failed, and the newest of them, oldest first. Each
// failure is counted once.
//
// The status is the only memory, because the pods of failed executors are soon gone and a new operator has not seen
// them. It has the total and the newest failures. A failure that is not listed is new, unless the list is full and the
// failure is older than all in it: then it was counted before, and newer failures have displaced it. The total is too
// small only if an operator that has not seen the earlier failures learns late of more failures than the status lists.
func countFailures(st *state) (failed int32, newest []v1alpha1.ExecutorFailure) {
	var shown []v1alpha1.ExecutorFailure
	if before := st.s.Executors; before != nil {
		failed, shown = before.Failed, before.Failures
	}
	newest = slices.Clone(shown)
	seen := int32(0)
	for _, f := range st.o.ExecutorFailures {
		if endedWithDriver(st, f) {
			continue
		}
		seen++
		if !countedBefore(f, shown) {
			failed++
			newest = append(newest, asRecorded(st, f))
		}
	}
	slices.SortStableFunc(newest, func(a, b v1alpha1.ExecutorFailure) int {
		return cmp.Or(a.At.Compare(b.At.Time), cmp.Compare(a.Pod, b.Pod))
	})
	return max(failed, seen), newest[max(0, len(newest)-maxExecutorFailures):]
}

// endedWithDriver reports whether an executor ended because its driver was gone, which does not count as a failure.
func endedWithDriver(st *state, f pods.Failure) bool {
	driver := st.lastSeenDriver()
	return driver != nil && driver.Ended != nil && driver.Ended.At > 0 && f.At >= driver.Ended.At
}

// asRecorded converts a failure to the type of the API. If its time is not known, it gets the time of this pass.
func asRecorded(st *state, f pods.Failure) v1alpha1.ExecutorFailure {
	at := st.now()
	if f.At > 0 {
		at = metav1.NewTime(time.Unix(f.At, 0))
	}
	return v1alpha1.ExecutorFailure{Pod: f.Pod, Reason: f.Reason, Cause: f.Cause, ExitCode: f.ExitCode, Message: f.Message, At: at}
}

// lostDriverExit is the exit code of an executor that has lost its driver, among other causes
// (CoarseGrainedExecutorBackend of Spark).
const lostDriverExit = 1

// failuresNote returns the end of the message about a failed driver if executors had failed before it, since that may
// be the cause; empty if none had. It quotes the last failure. But executors lose their driver while that shuts down,
// seconds before it has ended, so an earlier failure with another exit code is preferred.
func failuresNote(st *state) string {
	e := st.s.Executors
	if e == nil || len(e.Failures) == 0 {
		return ""
	}
	which, quoted := "the last one", e.Failures[len(e.Failures)-1]
	if mayHaveLostDriver(quoted) {
		for _, f := range slices.Backward(e.Failures) {
			if !mayHaveLostDriver(f) {
				which, quoted = "one of them", f
				break
			}
		}
	}
	return fmt.Sprintf("; executors that had failed before: %d, %s: %s", e.Failed, which, quoted.Message)
}

func mayHaveLostDriver(f v1alpha1.ExecutorFailure) bool {
	return f.ExitCode != nil && *f.ExitCode == lostDriverExit
}

// countedBefore reports whether a failure is one of shown, or older than all of them while that list is full.
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
