// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"sync"

	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	"github.com/sparkgate/sparkgate/internal/job/pods"
	"github.com/sparkgate/sparkgate/internal/job/pods/unmanaged"
)

// watchers watch the pods of guarded namespaces, with one watch for each namespace. Without guarded namespaces nothing
// is watched.
type watchers struct {
	pods  corev1client.PodsGetter
	store *store

	ready chan struct{} // closed once ctx is set
	ctx   context.Context
	all   sync.WaitGroup
	mu    sync.Mutex
	stops map[string]context.CancelFunc
}

func newWatchers(pods corev1client.PodsGetter, s *store) *watchers {
	return &watchers{pods: pods, store: s, ready: make(chan struct{}), stops: map[string]context.CancelFunc{}}
}

// run allows watches to start, blocks until ctx is done, and then waits for all of them to end.
func (w *watchers) run(ctx context.Context) {
	w.ctx = ctx
	close(w.ready)
	<-ctx.Done()
	w.all.Wait()
}

// watch starts to watch a namespace unless it is already watched.
func (w *watchers) watch(ctx context.Context, namespace string) error {
	select {
	case <-w.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stops[namespace] != nil || w.ctx.Err() != nil {
		return nil
	}
	watched, stop := context.WithCancel(w.ctx)
	w.stops[namespace] = stop
	source, into := w.source(namespace), w.store.open(namespace).Cache
	w.all.Go(func() { pods.Reflect(watched, source, into) })
	return nil
}

// source is where the unmanaged pods of a namespace come from.
func (w *watchers) source(namespace string) pods.Source {
	return pods.Source{Client: w.pods, Namespace: namespace, Selector: unmanaged.Selector}
}

// unwatch ends the watch of a namespace.
func (w *watchers) unwatch(namespace string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if stop := w.stops[namespace]; stop != nil {
		stop()
		delete(w.stops, namespace)
	}
	w.store.forget(namespace)
}

// listAll lists the pods of a namespace from the API server into the store.
func (w *watchers) listAll(ctx context.Context, namespace string) error {
	return pods.Fill(ctx, w.source(namespace), w.store.open(namespace).Cache)
}
