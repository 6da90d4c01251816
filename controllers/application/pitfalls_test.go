// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/controllers/internal/waker"
)

// TestEventsAreNoFailures: an application with many events is reconciled as quickly as any other. Only errors delay it.
func TestEventsAreNoFailures(t *testing.T) {
	t.Parallel()
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](minRetryDelay, maxRetryDelay)
	queue := workqueue.NewTypedRateLimitingQueue(limiter)
	defer queue.ShutDown()
	woken := waker.New()
	if err := woken.Source().Start(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	name := types.NamespacedName{Namespace: "default", Name: "pi"}
	for range 100 {
		woken.Wake(name)
		if queue.Len() != 1 {
			t.Fatalf("%d looks are due, want one", queue.Len())
		}
	}
	if failures := queue.NumRequeues(reconcile.Request{NamespacedName: name}); failures != 0 {
		t.Errorf("%d events count as failures", failures)
	}
}

// TestARestartCountsNothingAgain: what an operator finds at its start is not counted as new.
func TestARestartCountsNothingAgain(t *testing.T) {
	t.Parallel()
	app := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: "counted-again", Name: "pi"}}
	app.Status.Run, app.Status.Attempt, app.Status.Queue = 1, 1, "etl"
	before := app.DeepCopy()
	app.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ReadyCondition, Status: metav1.ConditionTrue, Reason: "Succeeded"}}
	change{before, app, asIs}.countTransition()
	change{app, app, asIs}.countTransition() // found as it is
	changed := app.DeepCopy()
	changed.Status.Executors = &v1alpha1.ExecutorStatus{Ready: 1}
	change{app, changed, asIs}.countTransition() // another write in the same stage
	if got := transitions.Total("counted-again", "etl", "Succeeded"); got != 1 {
		t.Errorf("one end is counted %v times", got)
	}
}
