// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package sharedcache lets several managers that come and go read from the one cache of a process.
package sharedcache

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Shared is a cache that another manager starts and stops. Safe for concurrent use.
type Shared struct {
	cache cache.Cache

	mu sync.Mutex
	// indexed are the indexes that exist: one can be added once only.
	indexed map[string]bool
}

// New shares a cache.
func New(c cache.Cache) *Shared { return &Shared{cache: c, indexed: map[string]bool{}} }

// View returns the cache for one manager. When that stops, its event handlers are removed, and nothing else ends.
func (s *Shared) View() cache.Cache { return &view{Cache: s.cache, shared: s} }

// index adds an index, unless there is one of that name.
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

// Start returns once ctx ends, and all event handlers are removed.
func (v *view) Start(ctx context.Context) error {
	<-ctx.Done()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.stopped = true
	var err error
	for _, remove := range v.remove {
		if failed := remove(); err == nil {
			err = failed
		}
	}
	return err
}

// IndexField adds an index that may exist.
func (v *view) IndexField(ctx context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	return v.shared.index(ctx, obj, field, extract)
}

// RemoveInformer does nothing: others use it.
func (v *view) RemoveInformer(context.Context, client.Object) error { return nil }

// GetInformer returns an informer whose event handlers end with the view.
func (v *view) GetInformer(ctx context.Context, obj client.Object, o ...cache.InformerGetOption) (cache.Informer, error) {
	found, err := v.Cache.GetInformer(ctx, obj, o...)
	if err != nil {
		return nil, err
	}
	return &informer{found, v}, nil
}

// GetInformerForKind returns an informer whose event handlers end with the view.
func (v *view) GetInformerForKind(ctx context.Context, kind schema.GroupVersionKind, o ...cache.InformerGetOption) (cache.Informer, error) {
	found, err := v.Cache.GetInformerForKind(ctx, kind, o...)
	if err != nil {
		return nil, err
	}
	return &informer{found, v}, nil
}

// informer notes the event handlers that are added to it.
type informer struct {
	cache.Informer
	view *view
}

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
