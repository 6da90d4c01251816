// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package application

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Waker puts applications into the queue of the controller from anywhere, without blocking. What is woken before the controller
// runs is kept. Safe for concurrent use.
type Waker struct {
	mu      sync.Mutex
	queue   workqueue.TypedRateLimitingInterface[reconcile.Request]
	pending map[types.NamespacedName]bool
}

// NewWaker returns a waker that has no controller yet.
func NewWaker() *Waker { return &Waker{pending: map[types.NamespacedName]bool{}} }

// Wake makes the controller look at an application soon.
func (w *Waker) Wake(name types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.queue == nil {
		w.pending[name] = true
		return
	}
	w.queue.Add(reconcile.Request{NamespacedName: name})
}

func (w *Waker) source() source.Source {
	return source.TypedFunc[reconcile.Request](func(_ context.Context, queue workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.queue = queue
		for name := range w.pending {
			queue.Add(reconcile.Request{NamespacedName: name})
		}
		w.pending = nil
		return nil
	})
}

// String names the waker in logs.
func (w *Waker) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("waker (%d kept)", len(w.pending))
}
