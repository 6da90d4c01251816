// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/queueing"
)

// TestRequeued: quota is returned with one write, and Requeued says whether the Workload may get quota again at once.
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
		// Kueue reactivates a Workload with this very reason only.
		"deactivated by Kueue, then activated": {made(isAdmitted, isEvicted("DeactivatedDueToAdmissionCheck", "m")), "Requeued=False/Deactivated"},
		"for a reason that Kueue never ends":   {made(isAdmitted, isEvicted("Tomorrow", "m")), "Requeued=True/Tomorrow"},
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

// TestChecksBeginAnew: if quota is returned without an eviction by Kueue, the states of the admission checks are reset,
// as an eviction does.
func TestChecksBeginAnew(t *testing.T) {
	t.Parallel()
	passed := func(w *kueuev1.Workload) {
		w.Status.AdmissionChecks = []kueuev1.AdmissionCheckState{
			{Name: "nodes", State: kueuev1.CheckStateReady, PodSetUpdates: []kueuev1.PodSetUpdate{{Name: "executor", NodeSelector: map[string]string{"pool": "p1"}}}},
			{Name: "budget", State: kueuev1.CheckStatePending, Message: "asks"},
		}
	}
	for name, tt := range map[string]struct {
		w    *kueuev1.Workload
		want []string
	}{
		"held by us":       {made(isAdmitted, passed, isHeld), []string{"nodes Pending 0", "budget Pending 0"}},
		"evicted by Kueue": {made(isAdmitted, passed, isEvicted("Preempted", "m")), []string{"nodes Ready 1", "budget Pending 0"}}, // which has reset them
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := tt.w.DeepCopy()
			var got []string
			for _, c := range requeued(tt.w, "m", noon).Status.AdmissionChecks {
				got = append(got, fmt.Sprintf("%s %s %d", c.Name, c.State, len(c.PodSetUpdates)))
				if c.Message == "" && c.State == kueuev1.CheckStatePending {
					t.Errorf("%s says nothing", c.Name)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("checks (-want +got):\n%s", diff)
			}
			if !cmp.Equal(before, tt.w) {
				t.Error("the Workload itself was changed")
			}
		})
	}
}

// TestReleased: a Workload whose quota the operator returns on its own is held, and asks for no quota until it is
// changed, because Kueue would grant quota for the old pods. Kueue decides about a Workload that it has evicted, and a
// user about one that was deactivated.
func TestReleased(t *testing.T) {
	t.Parallel()
	const active, heldByUs, deactivatedByUser = "active", "held", "deactivated"
	for name, tt := range map[string]struct {
		w    *kueuev1.Workload
		why  queueing.ReleaseReason
		want string
	}{
		"requeued":                {made(isAdmitted), queueing.Requeued, heldByUs},
		"requeued, evicted":       {made(isAdmitted, isEvicted("Preempted", "m")), queueing.Requeued, active},
		"requeued, deactivated":   {made(isAdmitted, isInactive), queueing.Requeued, deactivatedByUser},
		"requeued, without quota": {made(), queueing.Requeued, active},
		"suspended":               {made(isAdmitted), queueing.Suspended, heldByUs},
		"suspended, evicted":      {made(isAdmitted, isEvicted("Preempted", "m")), queueing.Suspended, heldByUs},
		"suspended, deactivated":  {made(isAdmitted, isInactive), queueing.Suspended, deactivatedByUser},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, c := gateOver(t, tt.w)
			if err := g.Release(t.Context(), ask().Key, queueing.Release{Reason: tt.why, Message: "m"}); err != nil {
				t.Fatal(err)
			}
			w := &kueuev1.Workload{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(tt.w), w); err != nil {
				t.Fatal(err)
			}
			got := active
			switch {
			case deactivated(w):
				got = deactivatedByUser
			case inactive(w):
				got = heldByUs
			}
			if got != tt.want || reserved(w) || w.Status.Admission != nil {
				t.Errorf("it is %s, want %s; it has quota: %t", got, tt.want, reserved(w))
			}
		})
	}
}

// TestReleasesWhatTheWatchDoesNotShow: a Workload is released although the watch does not show it: because it was just
// created, or because a user has removed the label by which it is watched. The latter is deleted, whatever the reason.
func TestReleasesWhatTheWatchDoesNotShow(t *testing.T) {
	t.Parallel()
	unlabelled := func(w *kueuev1.Workload) { delete(w.Labels, v1alpha1.AttemptLabel) }
	for name, tt := range map[string]struct {
		known func(*Gate, *kueuev1.Workload)
		why   queueing.ReleaseReason
	}{
		"it has lost its label": {func(g *Gate, w *kueuev1.Workload) { g.view.workloads.Changed(w) }, queueing.Requeued},
		"it was just created":   {func(g *Gate, w *kueuev1.Workload) { g.requester.unseen.add(ask().Key, w) }, queueing.Abandoned},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, c := gateOver(t, made(isAdmitted, unlabelled))
			tt.known(g, made(isAdmitted))
			keys := func() []queueing.Key { return g.KeysFor(ask().Key.Kind, ask().Key.Namespace, ask().Key.Name) }
			if diff := cmp.Diff([]queueing.Key{ask().Key}, keys()); diff != "" {
				t.Errorf("keys (-want +got):\n%s", diff)
			}
			if err := g.Release(t.Context(), ask().Key, queueing.Release{Reason: tt.why, Message: "m"}); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(made()), &kueuev1.Workload{}); !apierrors.IsNotFound(err) {
				t.Errorf("it is still there: %v", err)
			}
			// The watch of the fake cluster shows objects without the label once they change.
			err := wait.PollUntilContextTimeout(t.Context(), time.Millisecond, 30*time.Second, true, func(context.Context) (bool, error) { return len(keys()) == 0, nil })
			if err != nil {
				t.Errorf("keys %v: %v", keys(), err)
			}
		})
	}
}

// TestPodsReady goes through the states that Kueue knows, and checks that nothing is written twice.
func TestPodsReady(t *testing.T) {
	t.Parallel()
	var stands *metav1.Condition
	var course []string
	for _, phase := range []queueing.Phase{
		queueing.AttemptStarting, queueing.AttemptStarting, queueing.AttemptPodsReady, queueing.AttemptPodsReady, queueing.AttemptPodsLost, queueing.AttemptPodsLost,
		queueing.AttemptPodsReady, queueing.AttemptPodsReady, queueing.AttemptPodsLost, queueing.AttemptPodsReady,
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
