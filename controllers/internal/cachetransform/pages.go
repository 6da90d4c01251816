// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package cachetransform

import (
	"context"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// PageSize is how many objects of other users are requested at once. Each may take up to 1.5 MiB, which is the most
// that etcd stores, so that a page fits into the operator's memory.
const PageSize = 32

// NewInformer is cache.NewSharedIndexInformer with bounded memory for the first list. Most API servers stream that list
// as events, one object at a time; if one does not, client-go would request everything at once.
func NewInformer(lw cache.ListerWatcher, example runtime.Object, resync time.Duration, indexers cache.Indexers) cache.SharedIndexInformer {
	return cache.NewSharedIndexInformer(&paged{ListerWatcherWithContext: cache.ToListerWatcherWithContext(lw)}, example, resync, indexers)
}

// paged lists page by page.
type paged struct {
	cache.ListerWatcherWithContext
}

// Watch implements cache.Watcher for callers without a context.
func (p *paged) Watch(o metav1.ListOptions) (watch.Interface, error) {
	return p.WatchWithContext(context.Background(), o)
}

// List implements cache.Lister for callers without a context.
func (p *paged) List(o metav1.ListOptions) (runtime.Object, error) {
	return p.ListWithContext(context.Background(), o)
}

// ListWithContext returns the whole list of stripped objects. All pages are consistent with the moment of the first. It
// sets no resource version, because an API server ignores the limit for lists from its own cache.
func (p *paged) ListWithContext(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
	o.ResourceVersion, o.ResourceVersionMatch, o.Limit, o.Continue = "", "", PageSize, ""
	var whole []runtime.Object
	for {
		page, err := p.ListerWatcherWithContext.ListWithContext(ctx, o)
		if err != nil {
			return nil, err
		}
		if err := apimeta.EachListItemWithAlloc(page, func(obj runtime.Object) error {
			kept, err := Object(obj)
			whole = append(whole, kept.(runtime.Object))
			return err
		}); err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		m, err := apimeta.ListAccessor(page)
		if err != nil {
			return nil, fmt.Errorf("read a page: %w", err)
		}
		if o.Continue = m.GetContinue(); o.Continue == "" {
			return page, apimeta.SetList(page, whole)
		}
	}
}
