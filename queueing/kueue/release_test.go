// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/queueing"
)

// TestRequeued: quota goes back in one write, and Requeued says whether the Workload may have some again at once.
func TestRequeued(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		w    *kueuev1.Workload
		want string
	}{
		"preempted":     {made(isAdmitted, isEvicted("Preempted", "m")), "Requeued=True/Preempted"},
		"node failed":   {made(isAdmitted, isEvicted("NodeFailures", "m")), "Requeued=True/NodeFailures"},
		"too slow":      {made(isAdmitted, isEvicted("PodsReadyTimeout", "m")), "Requeued=False/PodsReadyTimeout"},
		"queue stopped": {made(isAdmitted, isEvicted("ClusterQueueStopped", "m")), "Requeued=False/ClusterQueueStopped"},
		"deactivated":   {made(isAdmitted, isInactive, isEvicted("Deactivated", "m")), "Requeued=False/Deactivated"},
		"held by us":    {made(isAdmitted, isHeld), "Requeued=False/Deactivated"},
		"of itself":     {made(isAdmitted), "Requeued=True/GaveBack"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := requeued(tt.w, "the executors did not start", noon)
			var got []string
			for _, name := range []string{kueuev1.WorkloadRequeued, kueuev1.WorkloadQuotaReserved, kueuev1.WorkloadAdmitted, kueuev1.WorkloadPodsReady} {
				c := conditionOf(after, name)
				got = append(got, fmt.Sprintf("%s=%s/%s", name, c.Status, c.Reason))
				if c.Message == "" {
					t.Errorf("%s has no message, which Kueue's schema wants", name)
				}
			}
			want := []string{tt.want, "QuotaReserved=False/Pending", "Admitted=False/NoReservation", "PodsReady=False/WaitForStart"}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("conditions (-want +got):\n%s", diff)
			}
			if after.Status.Admission != nil || tt.w.Status.Admission == nil {
				t.Error("the admission is to go from the copy only")
			}
		})
	}
}

// TestPodsReady walks through the course that Kueue knows, and writes nothing twice.
func TestPodsReady(t *testing.T) {
	t.Parallel()
	var stands *metav1.Condition
	var course []string
	for _, phase := range []queueing.Phase{
		queueing.AttemptStarting, queueing.AttemptStarting, queueing.AttemptPodsReady, queueing.AttemptPodsReady, queueing.AttemptExecutorsLost, queueing.AttemptExecutorsLost,
		queueing.AttemptPodsReady, queueing.AttemptPodsReady, queueing.AttemptExecutorsLost, queueing.AttemptPodsReady,
	} {
		if next := nextPodsReady(stands, phase); next != nil {
			stands = next
			course = append(course, string(next.Status)+"/"+next.Reason)
		}
	}
	want := "False/WaitForStart True/Started False/WaitForRecovery True/Recovered False/WaitForRecovery True/Recovered"
	if got := strings.Join(course, " "); got != want {
		t.Errorf("course\n%s, want\n%s", got, want)
	}
}
