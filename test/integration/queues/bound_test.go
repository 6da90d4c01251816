// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestBoundThatWonAdmission: an application passes the protected head of its queue because of timeouts.run, then lifts it. It is stopped in
// the time that it had promised, also by an operator that did not admit it; one that passed no other continues.
func TestBoundThatWonAdmission(t *testing.T) {
	clock := &harness.Clock{}
	first := harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	w := harness.NewWorld(t, "5Gi", nil)
	harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.HeadTimeout = &metav1.Duration{} })
	runs := func(limit time.Duration) func(*v1alpha1.SparkApplication) {
		return func(a *v1alpha1.SparkApplication) {
			a.Spec.Timeouts = &v1alpha1.Timeouts{Run: &metav1.Duration{Duration: limit}}
		}
	}
	holder := w.Apply("holder", runs(time.Hour))
	w.Run(holder)
	big := w.Apply("big", func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](4) })
	waits(t, big, "WaitingForQuota", "4.375Gi")
	small := w.Apply("small", runs(time.Second), func(a *v1alpha1.SparkApplication) {
		a.Spec.Executor.Instances = ptr.To[int32](1)
		a.Spec.Queue.PriorityClassName = priorityClass(t, -1)
	})
	// It is admitted by its bound, and lifts that before its driver runs.
	harness.Eventually(t, small, "let in", func(a *v1alpha1.SparkApplication) bool { return a.Status.Grant != nil })
	const promised = 10*time.Minute + time.Second + 5*time.Minute
	if h := small.Status.Grant.HoldsFor; h == nil || h.Duration != promised {
		t.Errorf("it is held to %v, want %s", h, promised)
	}
	if h := holder.Status.Grant.HoldsFor; h != nil {
		t.Errorf("who passed nobody is held to %s", h.Duration)
	}
	harness.Change(t, small, runs(999_999*time.Hour))
	w.Run(small)
	harness.Eventually(t, small, "told that this is for later", func(a *v1alpha1.SparkApplication) bool {
		return strings.Contains(harness.Message(a), "timeouts raised since take effect with the next attempt")
	})
	first.Stop()
	clock.Advance(10*time.Minute + 2*time.Second)
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	w.Reach(small, "DeadlineExceeded")
	harness.Eventually(t, holder, "untouched", harness.InStage(v1alpha1.RunningReason))
	finish(t, w, holder)
	w.Succeed(big)
}
