// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// TestNamespacesTakeTurns: a namespace with very many schedules that are due does not keep the one of another from its time.
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
