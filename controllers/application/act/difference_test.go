// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package act

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/job/status"
	"github.com/sparkgate/sparkgate/internal/testing/randtest"
)

// randomStatus returns a status with random parts set.
func randomStatus(r *rand.Rand) v1alpha1.SparkApplicationStatus {
	now := metav1.NewTime(time.Date(2026, 1, 1, 12, r.IntN(60), 0, 0, time.UTC))
	sometimes := func() *metav1.Time {
		if r.IntN(2) == 0 {
			return nil
		}
		return &now
	}
	s := v1alpha1.SparkApplicationStatus{ObservedGeneration: r.Int64N(3), Run: r.Int64N(3), Attempt: r.Int64N(3), Queue: []string{"", "a", "b"}[r.IntN(3)],
		Times: v1alpha1.ApplicationTimes{Finished: sometimes(), OpenTimes: v1alpha1.OpenTimes{
			Queued: sometimes(), Waiting: sometimes(), Admitted: sometimes(), DriverStarted: sometimes()}}}
	stages := []status.Stage{status.Queued, status.Submitting, status.Running, status.Succeeded}
	s.Conditions = status.Conditions(nil, status.View{Stage: stages[r.IntN(len(stages))], Generation: 1}, now)
	s.LastHandledReconcileAt = []string{"", "x"}[r.IntN(2)]
	if r.IntN(2) == 0 {
		s.Grant = &v1alpha1.Grant{Run: 1, Attempt: r.Int64N(2), Gate: v1alpha1.GateEmbedded, PodSets: []v1alpha1.PodSetGrant{{Name: "driver", Count: 1,
			Requests: map[corev1.ResourceName]resource.Quantity{"cpu": *resource.NewQuantity(r.Int64N(3), resource.DecimalSI)}}}}
		if r.IntN(2) == 0 {
			s.Grant.PodSets[0].Labels = map[string]string{"a": fmt.Sprint(r.IntN(2))}
		}
	}
	if r.IntN(2) == 0 {
		s.RunDuration = &metav1.Duration{Duration: time.Duration(r.IntN(3)) * time.Second}
		s.Usage = &v1alpha1.Usage{At: metav1.NewMicroTime(now.Time)}
	}
	if r.IntN(2) == 0 {
		s.Driver = &v1alpha1.DriverStatus{PodName: "pi", UIAddress: []string{"", "here"}[r.IntN(2)]}
	}
	if r.IntN(2) == 0 {
		s.Executors = &v1alpha1.ExecutorStatus{Wanted: 2, Ready: r.Int32N(3), Problem: []string{"", "image"}[r.IntN(2)]}
	}
	for i := range r.IntN(3) {
		s.Attempts = append(s.Attempts, v1alpha1.AttemptStatus{Run: 1, Attempt: int64(i), ExitCode: ptr.To(r.Int32N(2)), StartedAt: sometimes()})
	}
	return s
}

// TestDifference: the patch from one status to another converts the JSON of the first into that of the second, and is
// at most as large as the patch computed from the two texts.
func TestDifference(t *testing.T) {
	t.Parallel()
	randtest.Each(t, 2000, func(seed uint64) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // repeatable, not secret
		before, after := randomStatus(r), randomStatus(r)
		patch, err := difference(&before, &after)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(patch)
		if err != nil {
			t.Fatal(err)
		}
		from, to := encoded(t, before), encoded(t, after)
		want, err := jsonpatch.CreateMergePatch(from, to)
		if err != nil {
			t.Fatal(err)
		}
		if !jsonpatch.Equal(got, want) {
			t.Fatalf("seed %d: patch\n%s\nwant\n%s", seed, got, want)
		}
		applied, err := jsonpatch.MergePatch(from, got)
		if err != nil {
			t.Fatal(err)
		}
		if !jsonpatch.Equal(applied, to) {
			t.Fatalf("seed %d: after the patch\n%s\nwant\n%s", seed, applied, to)
		}
	})
}

func encoded(t *testing.T, s v1alpha1.SparkApplicationStatus) []byte {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(text)
}

// BenchmarkDifference measures the patch which records that a driver runs.
func BenchmarkDifference(b *testing.B) {
	now := metav1.NewTime(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	before := v1alpha1.SparkApplicationStatus{ObservedGeneration: 1, Run: 1, Attempt: 1, Queue: "team-a", TemplateHash: "v1:8195190a544d23a502546c7f9e803fe934bcacaadca23c0ce02181531c3df6a7",
		Times:     v1alpha1.ApplicationTimes{OpenTimes: v1alpha1.OpenTimes{Queued: &now, Admitted: &now}},
		Driver:    &v1alpha1.DriverStatus{PodName: "pi-1-1-driver", ApplicationID: "spark-1"},
		Executors: &v1alpha1.ExecutorStatus{Wanted: 2, Summary: "0/2"},
		Grant: &v1alpha1.Grant{Run: 1, Attempt: 1, Gate: v1alpha1.GateEmbedded, Queue: "team-a", PodSets: []v1alpha1.PodSetGrant{
			{Name: "driver", Count: 1, Requests: map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("200m"), "memory": resource.MustParse("896Mi")}},
			{Name: "executor", Count: 2, Requests: map[corev1.ResourceName]resource.Quantity{"cpu": resource.MustParse("200m"), "memory": resource.MustParse("896Mi")}}}},
	}
	before.Conditions = status.Conditions(nil, status.View{Stage: status.Submitting, Message: "run 1, attempt 1: creating driver pod pi-1-1-driver", Generation: 1}, now)
	after := *before.DeepCopy()
	after.Times.DriverStarted, after.Times.Started, after.Driver.UID = &now, &now, "1f0c9b1e-6a1c-4a3e-9d5c-3a7a1c9b2f10"
	after.Conditions = status.Conditions(before.Conditions, status.View{Stage: status.Running, Message: "run 1, attempt 1: driver pod pi-1-1-driver is running", Generation: 1}, now)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := difference(&before, &after); err != nil {
			b.Fatal(err)
		}
	}
}
