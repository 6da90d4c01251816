// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/internal/pods"
	"github.com/sparkgate/sparkgate/internal/pods/unmanaged"
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
	w.store.open(namespace)
	watched, stop := context.WithCancel(w.ctx)
	w.stops[namespace] = stop
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return w.leanList(ctx, namespace, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = unmanaged.Selector
			return w.pods.Pods(namespace).Watch(ctx, o)
		},
	}
	reflector := cache.NewReflectorWithOptions(source, &corev1.Pod{}, reflectorStore{w.store, namespace}, cache.ReflectorOptions{Name: "unmanaged-pods"})
	w.all.Go(func() { reflector.RunWithContext(watched) })
	return nil
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
	w.store.open(namespace)
	var all []*listed
	version, err := w.eachPage(ctx, namespace, metav1.ListOptions{}, func(p *corev1.Pod) { all = append(all, listedOf(p)) })
	if err == nil {
		w.store.replace(namespace, all, version)
	}
	return err
}

// leanList returns the whole list for a Reflector whose API server does not stream it. The pods are reduced to what is
// needed.
func (w *watchers) leanList(ctx context.Context, namespace string, o metav1.ListOptions) (*corev1.PodList, error) {
	list := &corev1.PodList{}
	version, err := w.eachPage(ctx, namespace, o, func(p *corev1.Pod) {
		if unmanaged.PodOf(p) == nil {
			p = &corev1.Pod{ObjectMeta: listedOf(p).ObjectMeta}
		}
		list.Items = append(list.Items, *pods.Lean(p))
	})
	list.ResourceVersion = version
	return list, err
}

// eachPage calls see with each pod of a namespace, page by page, and returns the resource version of the list. It sets
// no resource version, because an API server ignores the limit for lists from its own cache.
func (w *watchers) eachPage(ctx context.Context, namespace string, o metav1.ListOptions, see func(*corev1.Pod)) (version string, err error) {
	o.LabelSelector, o.Limit, o.Continue, o.ResourceVersion, o.ResourceVersionMatch = unmanaged.Selector, pods.PageSize, "", "", ""
	for {
		page, err := w.pods.Pods(namespace).List(ctx, o)
		if err != nil {
			return "", fmt.Errorf("list pods of namespace %s: %w", namespace, err)
		}
		for i := range page.Items {
			see(&page.Items[i])
		}
		if o.Continue = page.Continue; o.Continue == "" {
			return page.ResourceVersion, nil
		}
	}
}
