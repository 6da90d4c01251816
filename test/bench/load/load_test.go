// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package load

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/bench/host"
)

func TestSharesAddUp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ total, n int }{{0, 3}, {1, 3}, {7, 3}, {300, 100}, {193, 100}, {5, 1000}} {
		sum, least, most := 0, c.total, 0
		for i := range c.n {
			s := share(c.total, c.n, i)
			sum, least, most = sum+s, min(least, s), max(most, s)
		}
		if sum != c.total || most-least > 1 {
			t.Errorf("%d writes for %d: the shares add up to %d and lie between %d and %d", c.total, c.n, sum, least, most)
		}
	}
}

func TestEachRunsAllOnce(t *testing.T) {
	t.Parallel()
	seen := make([]atomic.Int32, 100)
	if err := each(t.Context(), len(seen), func(_ context.Context, i int) error { seen[i].Add(1); return nil }); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if n := seen[i].Load(); n != 1 {
			t.Errorf("%d was done %d times", i, n)
		}
	}
}

func TestEachStopsAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	var done atomic.Int32
	err := each(t.Context(), 1_000_000, func(ctx context.Context, i int) error {
		if i == 5 {
			return broken
		}
		done.Add(1)
		return ctx.Err()
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
	if done.Load() == 999_999 {
		t.Error("it went on after the failure")
	}
}

// sample returns a sample of the given kinds, without an operator.
func sample() *Sample {
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "bench-old", Name: "app-000000" + name, Labels: map[string]string{v1alpha1.ApplicationUIDLabel: "uid-old"}}
	}
	return &Sample{
		target:    Target{Namespace: "bench-old", Name: "app-000000", UID: "uid-old", Version: "7"},
		finalizer: `{"metadata":{"finalizers":["f"],"resourceVersion":"{version}"}}`,
		statuses:  []string{`{"metadata":{"resourceVersion":"{version}"},"status":{"driver":{"podName":"app-000000-driver"}}}`},
		configMap: &corev1.ConfigMap{ObjectMeta: meta("-conf"), Data: map[string]string{"k": "spark.app.name=app-000000"}},
		service:   &corev1.Service{ObjectMeta: meta("-svc")},
		pod:       &corev1.Pod{ObjectMeta: meta("-driver")},
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	target := &Target{Namespace: "bench-new", Name: "app-000123", UID: "uid-new", Version: "99"}
	s := sample()
	want := `{"metadata":{"resourceVersion":"99"},"status":{"driver":{"podName":"app-000123-driver"}}}`
	if diff := cmp.Diff(want, s.render(s.statuses[0], target)); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
	got, err := renderObject(s, s.configMap, target)
	if err != nil {
		t.Fatal(err)
	}
	wanted := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "bench-new", Name: "app-000123-conf", Labels: map[string]string{v1alpha1.ApplicationUIDLabel: "uid-new"}},
		Data:       map[string]string{"k": "spark.app.name=app-000123"},
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("object (-want +got):\n%s", diff)
	}
}

func TestPlanHasTheWritesOfTheOperator(t *testing.T) {
	t.Parallel()
	targets := make([]Target, 10)
	for i := range targets {
		targets[i] = Target{Namespace: "n", Name: Application("n", i, 2).Name}
	}
	writes := host.Writes{FinalizerPatch: 10, StatusPatch: 19, ConfigMapPost: 10, ServicePost: 10, PodPost: 10, QueuePatch: 3}
	plan, err := (&Loop{sample: sample()}).planSubmit(targets, writes)
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for _, p := range plan {
		steps += len(p)
	}
	if want := writes.Total() - writes[QueuePatch]; steps != want {
		t.Errorf("the plan has %d writes, want %d", steps, want)
	}
}

func TestSampleNeedsASubmission(t *testing.T) {
	t.Parallel()
	app := Application("n", 0, 2)
	if _, err := TakeSample(t.Context(), nil, []*v1alpha1.SparkApplication{app}); err == nil {
		t.Error("a history without writes was accepted")
	}
	if _, err := TakeSample(t.Context(), nil, []*v1alpha1.SparkApplication{app, app}); err == nil {
		t.Error("a history without a driver was accepted")
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	events := watch.NewFake()
	p := track(events)
	defer p.Stop()
	app := func(uid, stage string, granted bool) *v1alpha1.SparkApplication {
		a := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid)}}
		a.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Reason: stage}}
		if granted {
			a.Status.Grant = &v1alpha1.Grant{}
		}
		return a
	}
	for _, uid := range []string{"a", "b", "c"} {
		events.Add(app(uid, v1alpha1.QueuedReason, false))
	}
	events.Modify(app("a", v1alpha1.RunningReason, true))
	events.Modify(app("b", v1alpha1.RunningReason, true))
	events.Modify(app("a", v1alpha1.SucceededReason, false))
	events.Modify(app("c", v1alpha1.RunningReason, true))
	events.Delete(app("c", v1alpha1.RunningReason, true))
	for stage, n := range map[string]int{v1alpha1.SucceededReason: 1, v1alpha1.RunningReason: 1, v1alpha1.QueuedReason: 0} {
		if _, err := p.Wait(t.Context(), stage, n); err != nil {
			t.Error(err)
		}
	}
	if got := p.MostGranted(); got != 2 {
		t.Errorf("%d held a grant at once, want 2", got)
	}
	p.Stop()
	if _, err := p.Wait(t.Context(), v1alpha1.SucceededReason, 3); err == nil {
		t.Error("the watch has ended, but there is no error")
	}
}
