// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/cachetransform"
)

// TestNamespacesTakeTurns: a namespace with very many due schedules does not delay the schedule of another one.
func TestNamespacesTakeTurns(t *testing.T) {
	t.Parallel()
	const concurrent = 4
	o := optionsFor(concurrent)
	if o.NewQueue == nil || o.MaxConcurrentReconciles != concurrent {
		t.Fatalf("schedules wait in the usual queue, %d at once", o.MaxConcurrentReconciles)
	}
	queue := o.NewQueue("schedules", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer queue.ShutDown()
	add := func(namespace, name string) {
		queue.Add(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: namespace, Name: name}})
	}
	for i := range 1000 {
		add("crowd", fmt.Sprint(i))
	}
	add("team", "nightly")
	if _, shutdown := queue.Get(); shutdown {
		t.Fatal("the queue has ended")
	}
	if next, _ := queue.Get(); next.Namespace != "team" {
		t.Errorf("%s is next, want team/nightly", next)
	}
}

// TestFailuresDelayLittle: however long the API server has failed, a due run starts at most half a minute after it is
// available again.
func TestFailuresDelayLittle(t *testing.T) {
	t.Parallel()
	limiter, longest := optionsFor(4).RateLimiter, time.Duration(0)
	if limiter == nil {
		t.Fatal("failed schedules wait as long as controllers do that nothing waits for: 1000 s")
	}
	for range 100 {
		longest = max(longest, limiter.When(reconcile.Request{}))
	}
	if longest != maxRetryDelay {
		t.Errorf("a schedule that has failed waits %s, want %s", longest, maxRetryDelay)
	}
}

// TestTooLarge: a schedule of which the cache has only a stub creates nothing and reports its size. Once it is shorter,
// it creates applications again.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	spec := ""
	w := newWorld(t, func(s *v1alpha1.ScheduledSparkApplication) {
		spec = string(s.Spec.Template.Spec.Raw)
		s.Spec.Template.Spec.Raw = []byte(strings.Replace(spec, "{", `{"arguments":["`+strings.Repeat("x", v1alpha1.MaxApplicationSize)+`"],`, 1))
	})
	w.reconciler.Client = interceptor.NewClient(w.Client.(client.WithWatch), interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, opts ...client.GetOption) error {
			err := c.Get(ctx, key, obj, opts...)
			if s, is := obj.(*v1alpha1.ScheduledSparkApplication); is && err == nil {
				kept, _ := cachetransform.Object(s)
				*s = *kept.(*v1alpha1.ScheduledSparkApplication)
			}
			return err
		},
	})
	s := w.until("13:00")
	ready := apimeta.FindStatusCondition(s.Status.Conditions, v1alpha1.ReadyCondition)
	if ready == nil || ready.Reason != v1alpha1.InvalidSpecReason || !strings.Contains(ready.Message, "of at most 262144 together") || s.Status.LastRunTime != "" {
		t.Fatalf("Ready is %+v, last run at %q", ready, s.Status.LastRunTime)
	}
	s.Spec.Template.Spec.Raw = []byte(spec)
	s.Generation++
	if err := w.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	w.clock.SetTime(noon.Add(61 * time.Minute))
	if s = w.until("13:15"); s.Status.LastRunTime != "2026-01-01T13:10:00Z" {
		t.Errorf("once it is shorter, the last run was at %q: %+v", s.Status.LastRunTime, s.Status.Conditions)
	}
}
