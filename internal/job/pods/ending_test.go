// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestDeleteOptions: a pod has its own grace period to end, as long as that is not longer than the operator allows.
func TestDeleteOptions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		own   int64
		grace int64 // of the deletion that continues; below 0: it is not being deleted
		most  time.Duration
		force bool
		want  *int64
	}{
		"its own is short":                  {30, -1, 10 * time.Minute, false, nil},
		"as long as allowed":                {600, -1, 10 * time.Minute, false, nil},
		"its own is too long":               {1_000_000, -1, 10 * time.Minute, false, ptr.To[int64](600)},
		"the longest that there is":         {math.MaxInt64, -1, 10 * time.Minute, false, ptr.To[int64](600)},
		"deleted by others, for too long":   {30, 1_000_000, 10 * time.Minute, false, ptr.To[int64](600)},
		"without grace":                     {1_000_000, 600, 10 * time.Minute, true, ptr.To[int64](0)},
		"less than a second is one":         {30, -1, time.Millisecond, false, ptr.To[int64](1)},
		"a part of a second is not cut off": {3, -1, 2500 * time.Millisecond, false, nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pod := podOf("driver", func(pod *corev1.Pod) {
				pod.Spec.TerminationGracePeriodSeconds = &tc.own
				if tc.grace >= 0 {
					pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = &deletedAt, &tc.grace
				}
			})
			uid := types.UID("driver-uid")
			want := &client.DeleteOptions{GracePeriodSeconds: tc.want, Preconditions: &metav1.Preconditions{UID: &uid}}
			if diff := cmp.Diff(want, RecordOf(pod).DeleteOptions(tc.most, tc.force)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestForcedAt: the time to end counts from the moment when the pod was deleted, not from the end of a grace period that a client chose.
func TestForcedAt(t *testing.T) {
	t.Parallel()
	for _, grace := range []int64{0, 30, 600, 1_000_000} {
		pod := podOf("driver", func(pod *corev1.Pod) {
			pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds = ptr.To(metav1.NewTime(deletedAt.Add(time.Duration(grace)*time.Second))), &grace
		})
		r := RecordOf(pod)
		if got := r.ForcedAt(10 * time.Minute); !got.Equal(deletedAt.Add(10 * time.Minute)) {
			t.Errorf("with a grace period of %d s it is ended by force at %s", grace, got.UTC())
		}
		if late := grace > 600; r.EndsLate(10*time.Minute) != late {
			t.Errorf("with a grace period of %d s it ends late: %t", grace, !late)
		}
	}
}

// TestUsesNothing: what counts is what the kubelet says. A finalizer that keeps a pod does not make it use anything.
func TestUsesNothing(t *testing.T) {
	t.Parallel()
	nowhere := func(pod *corev1.Pod) { pod.Spec.NodeName = "" }
	tests := map[string]struct {
		changes []change
		want    bool
	}{
		"waits for a node":                 {[]change{nowhere}, true},
		"runs":                             {[]change{phase(corev1.PodRunning), container(spark, runs())}, true},
		"is being stopped":                 {[]change{phase(corev1.PodRunning), deleting, container(spark, runs())}, true},
		"is being stopped before it ran":   {[]change{deleting}, true},
		"was deleted before it had a node": {[]change{nowhere, deleting}, false},
		"has ended, and is kept":           {[]change{phase(corev1.PodFailed), deleting, container(spark, ended(137, "Error"))}, false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := RecordOf(podOf("driver", tc.changes...)).Active(); got != tc.want {
				t.Errorf("active: %t, want %t", got, tc.want)
			}
		})
	}
}

// TestEndPatch: the patch is of one pod only, sets the shortest deadline that there is, and is seen in the record.
func TestEndPatch(t *testing.T) {
	t.Parallel()
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pi-driver", UID: "uid-1"}, Spec: corev1.PodSpec{ActiveDeadlineSeconds: ptr.To[int64](3600)}}
	before := RecordOf(pod)
	if before.EndsContainers {
		t.Error("a pod with a deadline of its own is taken for one whose containers are being ended")
	}
	const want = `{"metadata":{"uid":"uid-1"},"spec":{"activeDeadlineSeconds":1}}`
	if got := string(before.EndPatch()); got != want {
		t.Errorf("patch %s, want %s", got, want)
	}
	pod.Spec.ActiveDeadlineSeconds = ptr.To[int64](1)
	if !RecordOf(pod).EndsContainers {
		t.Error("the record does not show that the containers are being ended")
	}
}

// TestEndedByItsDeadline: a driver whose pod was ended for the sake of its sidecars has ended as its own container has.
func TestEndedByItsDeadline(t *testing.T) {
	t.Parallel()
	r := &Record{Origin: &Origin{}, Role: Driver, Phase: corev1.PodFailed, Trouble: &Trouble{Reason: "DeadlineExceeded"}, EndsContainers: true, Ended: &Ended{Reason: "Completed"}}
	if outcome, ended := DriverEnded(r); !ended || !outcome.Succeeded || r.Active() {
		t.Errorf("outcome %+v, ended %v, active %v; want a success that uses nothing", outcome, ended, r.Active())
	}
}
