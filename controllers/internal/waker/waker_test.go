// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package waker

import (
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

var pi = types.NamespacedName{Namespace: "default", Name: "pi"}

func run(t *testing.T, w *Waker) workqueue.TypedRateLimitingInterface[reconcile.Request] {
	t.Helper()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	if err := w.Source().Start(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	return queue
}

// TestWokenBeforeTheControllerRuns: an object that is woken before the controller runs is reconciled once when it runs.
// A controller that starts with all objects does not reconcile it twice.
func TestWokenBeforeTheControllerRuns(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		waker *Waker
		want  int
	}{"kept": {New(), 1}, "dropped": {&Waker{}, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.waker.Wake(pi)
			queue := run(t, tt.waker)
			defer queue.ShutDown()
			if queue.Len() != tt.want {
				t.Errorf("%d looks are due, want %d", queue.Len(), tt.want)
			}
		})
	}
}

// TestWakeAfter: the earliest of several times counts, and one reconciliation is enough for all that have passed.
func TestWakeAfter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := New()
		queue := run(t, w)
		defer queue.ShutDown()
		for _, after := range []time.Duration{time.Minute, time.Second, time.Hour} {
			w.WakeAfter(pi, after)
		}
		synctest.Wait()
		if queue.Len() != 0 {
			t.Error("it is looked at before its time")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if queue.Len() != 1 {
			t.Errorf("%d looks are due after a second, want one", queue.Len())
		}
		w.Wake(pi)
		if queue.Len() != 1 {
			t.Errorf("%d looks are due, want one", queue.Len())
		}
	})
}

// TestWakeAfterIsKept: an earlier RequeueAfter of the controller does not replace a later time that a gate has
// requested.
func TestWakeAfterIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := New()
		queue := run(t, w)
		defer queue.ShutDown()
		queue.AddAfter(reconcile.Request{NamespacedName: pi}, time.Second)
		w.WakeAfter(pi, time.Minute)
		for _, wait := range []time.Duration{time.Second, time.Minute} {
			time.Sleep(wait)
			synctest.Wait()
			if queue.Len() != 1 {
				t.Fatalf("%d looks are due after %s, want one", queue.Len(), wait)
			}
			request, _ := queue.Get()
			queue.Done(request)
		}
	})
}
