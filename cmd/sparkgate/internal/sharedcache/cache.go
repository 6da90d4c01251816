// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sharedcache lets several managers, which may start and stop at any time, read from the single cache of a
// process.
package sharedcache

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Shared is a cache that is started and stopped by its own manager. It is safe for concurrent use.
type Shared struct {
	cache cache.Cache

	mu sync.Mutex
	// indexed are the existing indexes, because the cache refuses to add one twice.
	indexed map[string]bool
}

// New returns a Shared for a cache.
func New(c cache.Cache) *Shared { return &Shared{cache: c, indexed: map[string]bool{}} }

// View returns a cache for one manager. When the manager stops, only its event handlers are removed.
func (s *Shared) View() cache.Cache { return &view{Cache: s.cache, shared: s} }

// index adds an index unless it exists.
func (s *Shared) index(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := fmt.Sprintf("%T %s", obj, field)
	if s.indexed[name] {
		return nil
	}
	if err := s.cache.IndexField(ctx, obj, field, extract); err != nil {
		return err
	}
	s.indexed[name] = true
	return nil
}

// view is the cache of one manager.
type view struct {
	cache.Cache
	shared *Shared

	mu      sync.Mutex
	remove  []func() error
	stopped bool
}

// Start waits until ctx ends, and then removes all event handlers of the view.
func (v *view) Start(ctx context.Context) error {
	<-ctx.Done()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stopped = true
	var err error
	for _, remove := range v.remove {
		err = errors.Join(err, remove())
	}
	return err
}

// IndexField adds an index unless it exists.
func (v *view) IndexField(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	return v.shared.index(ctx, obj, field, extract)
}

// RemoveInformer does nothing, because other managers use the informer.
func (v *view) RemoveInformer(context.Context, client.Object) error { return nil }

// GetInformer returns an informer whose event handlers are removed when the view stops.
func (v *view) GetInformer(ctx context.Context, obj client.Object, o ...cache.InformerGetOption) (cache.Informer, error) {
	found, err := v.Cache.GetInformer(ctx, obj, o...)
	if err != nil {
		return nil, err
	}
	return &informer{found, v}, nil
}

// GetInformerForKind returns an informer whose event handlers are removed when the view stops.
func (v *view) GetInformerForKind(ctx context.Context, kind schema.GroupVersionKind, o ...cache.InformerGetOption) (cache.Informer, error) {
	found, err := v.Cache.GetInformerForKind(ctx, kind, o...)
	if err != nil {
		return nil, err
	}
	return &informer{found, v}, nil
}

// informer records the event handlers that are added to it.
type informer struct {
	cache.Informer
	view *view
}

// note records an event handler for removal. If the view has already stopped, it removes the handler at once.
func (i *informer) note(r toolscache.ResourceEventHandlerRegistration, err error) (toolscache.ResourceEventHandlerRegistration, error) {
	if err != nil {
		return r, err
	}
	i.view.mu.Lock()
	defer i.view.mu.Unlock()
	if i.view.stopped {
		return r, i.RemoveEventHandler(r)
	}
	i.view.remove = append(i.view.remove, func() error { return i.RemoveEventHandler(r) })
	return r, nil
}

// AddEventHandler implements cache.Informer.
func (i *informer) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.note(i.Informer.AddEventHandler(h))
}

// AddEventHandlerWithResyncPeriod implements cache.Informer.
func (i *informer) AddEventHandlerWithResyncPeriod(h toolscache.ResourceEventHandler, period time.Duration) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.note(i.Informer.AddEventHandlerWithResyncPeriod(h, period))
}

// AddEventHandlerWithOptions implements cache.Informer.
func (i *informer) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, o toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return i.note(i.Informer.AddEventHandlerWithOptions(h, o))
}
