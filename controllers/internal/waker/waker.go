// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package waker requests reconciles of objects from anywhere.
package waker

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Waker requests reconciles of objects, now or later. It never blocks, and is safe for concurrent use. The zero value
// drops requests before the controller runs; it is for controllers that start with all objects anyway.
type Waker struct {
	// timers runs the delayed requests; nil is the real clock.
	timers clock.WithDelayedExecution

	mu    sync.Mutex
	queue workqueue.TypedRateLimitingInterface[reconcile.Request]
	// pending are requests from before the controller runs; nil if they are dropped.
	pending map[types.NamespacedName]bool
	// scheduled holds the delayed requests.
	scheduled map[types.NamespacedName]scheduled
}

// scheduled is one delayed request.
type scheduled struct {
	due   time.Time
	timer clock.Timer
}

// New returns a Waker that keeps requests until the controller runs.
func New() *Waker { return &Waker{pending: map[types.NamespacedName]bool{}} }

// Wake requests a reconcile of an object.
func (w *Waker) Wake(name types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.queue != nil:
		w.queue.Add(reconcile.Request{NamespacedName: name})
	case w.pending != nil:
		w.pending[name] = true
	}
}

// WakeAfter requests a reconcile of an object after a pause. Of several pending requests for an object, the earliest
// counts. It does not use the queue's own AddAfter, which would drop the request if the controller has already
// requested an earlier one with RequeueAfter.
func (w *Waker) WakeAfter(name types.NamespacedName, after time.Duration) {
	if after <= 0 {
		w.Wake(name)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	due := w.clock().Now().Add(after)
	if known, is := w.scheduled[name]; is && !due.Before(known.due) {
		return
	} else if is {
		known.timer.Stop()
	}
	if w.scheduled == nil {
		w.scheduled = map[types.NamespacedName]scheduled{}
	}
	w.scheduled[name] = scheduled{due: due, timer: w.clock().AfterFunc(after, func() { w.fire(name, due) })}
}

func (w *Waker) clock() clock.WithDelayedExecution {
	if w.timers == nil {
		return clock.RealClock{}
	}
	return w.timers
}

// fire makes a request that is due.
func (w *Waker) fire(name types.NamespacedName, due time.Time) {
	w.mu.Lock()
	if w.scheduled[name].due.Equal(due) {
		delete(w.scheduled, name)
	}
	w.mu.Unlock()
	w.Wake(name)
}

// Source returns the source through which the waker gets the queue of its controller.
func (w *Waker) Source() source.Source {
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
