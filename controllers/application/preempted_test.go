// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

func TestPreemptionIsCountedOnceItIsIntended(t *testing.T) {
	t.Parallel()
	stopping := func(reason v1alpha1.StopReason) *v1alpha1.SparkApplication {
		return &v1alpha1.SparkApplication{Status: v1alpha1.SparkApplicationStatus{Queue: "counted-once", Stopping: reason}}
	}
	held := &queueing.Eviction{Reason: queueing.ReasonPreempted, ByQueue: "taker"}
	change{stopping(""), stopping(""), asIs}.countPreemption(held)
	change{stopping(""), stopping(v1alpha1.StopSuspended), asIs}.countPreemption(held)
	change{stopping(""), stopping(v1alpha1.StopPreempted), asIs}.countPreemption(held)
	change{stopping(v1alpha1.StopPreempted), stopping(v1alpha1.StopPreempted), asIs}.countPreemption(held)
	change{stopping(v1alpha1.StopPreempted), stopping(""), asIs}.countPreemption(nil)
	if got := preemptions.Total("counted-once", "taker", "Preempted"); got != 1 {
		t.Errorf("counted %v times, want 1", got)
	}
}

func TestAdmissionWaitIsOfOneWait(t *testing.T) {
	t.Parallel()
	at := func(seconds int) *metav1.Time {
		when := metav1.NewTime(time.Unix(int64(1000+seconds), 0))
		return &when
	}
	preempted := v1alpha1.AttemptStatus{Run: 2, Attempt: 1, Outcome: v1alpha1.OutcomeStopped, Reason: "Preempted", FinishedAt: at(100)}
	suspended, earlier := preempted, preempted
	suspended.Reason, earlier.Run = "Suspended", 1
	waiting := func(t v1alpha1.ApplicationTimes, since *metav1.Time) v1alpha1.ApplicationTimes {
		t.Waiting = since
		return t
	}
	pausing := func(t v1alpha1.ApplicationTimes, until *metav1.Time) v1alpha1.ApplicationTimes {
		t.Retry = until
		return t
	}
	times := func(queued, admitted *metav1.Time) v1alpha1.ApplicationTimes {
		return v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: queued, Admitted: admitted}}
	}
	sentBack := preempted
	sentBack.Reason = "ExecutorStartTimeout"
	tests := map[string]struct {
		times  v1alpha1.ApplicationTimes
		ended  []v1alpha1.AttemptStatus
		want   time.Duration
		unsaid bool
	}{
		"first attempt":          {times(at(0), at(7)), nil, 7 * time.Second, false},
		"after a preemption":     {times(at(0), at(130)), []v1alpha1.AttemptStatus{preempted}, 30 * time.Second, false},
		"sent back":              {waiting(times(at(0), at(400)), at(390)), []v1alpha1.AttemptStatus{sentBack}, 10 * time.Second, false},
		"sent back, at once":     {pausing(times(at(0), at(400)), at(399)), []v1alpha1.AttemptStatus{sentBack}, time.Second, false},
		"after a suspension":     {times(at(0), at(130)), []v1alpha1.AttemptStatus{suspended}, 130 * time.Second, false},
		"preempted in a run ago": {times(at(110), at(130)), []v1alpha1.AttemptStatus{earlier}, 20 * time.Second, false},
		"not admitted":           {times(at(0), nil), nil, 0, true},
		"never queued":           {times(nil, at(7)), nil, 0, true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := &v1alpha1.SparkApplicationStatus{Run: 2, Attempt: 2, Times: tc.times, Attempts: tc.ended}
			got, said := admissionWaitOf(before, before)
			if got != tc.want || said == tc.unsaid {
				t.Errorf("wait %s, %t, want %s, %t", got, said, tc.want, !tc.unsaid)
			}
		})
	}
}
