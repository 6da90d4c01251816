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

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// ofNobody selects the pods of no application.
const ofNobody = "!" + v1alpha1.ApplicationUIDLabel

// followers watch the pods of guarded namespaces, one each: where nothing is guarded, nothing is watched.
type followers struct {
	pods  corev1client.PodsGetter
	store *store

	ready chan struct{} // closed once ctx is set
	ctx   context.Context
	all   sync.WaitGroup
	mu    sync.Mutex
	stops map[string]context.CancelFunc
}

func newFollowers(pods corev1client.PodsGetter, s *store) *followers {
	return &followers{pods: pods, store: s, ready: make(chan struct{}), stops: map[string]context.CancelFunc{}}
}

// run lets namespaces be followed until the context ends.
func (f *followers) run(ctx context.Context) {
	f.ctx = ctx
	close(f.ready)
	<-ctx.Done()
	f.all.Wait()
}

// follow watches a namespace from now on.
func (f *followers) follow(ctx context.Context, namespace string) error {
	select {
	case <-f.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stops[namespace] != nil || f.ctx.Err() != nil {
		return nil
	}
	f.store.open(namespace)
	watched, stop := context.WithCancel(f.ctx)
	f.stops[namespace] = stop
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector = ofNobody
			return f.pods.Pods(namespace).List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = ofNobody
			return f.pods.Pods(namespace).Watch(ctx, o)
		},
	}
	reflector := cache.NewReflectorWithOptions(source, &corev1.Pod{}, view{f.store, namespace}, cache.ReflectorOptions{Name: "foreign-pods"})
	f.all.Go(func() { reflector.RunWithContext(watched) })
	return nil
}

// leave ends the watch of a namespace.
func (f *followers) leave(namespace string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if stop := f.stops[namespace]; stop != nil {
		stop()
		delete(f.stops, namespace)
	}
	f.store.forget(namespace)
}

// seed brings the store up to what the API server has now of a namespace.
func (f *followers) seed(ctx context.Context, namespace string) error {
	f.store.open(namespace)
	options := metav1.ListOptions{LabelSelector: ofNobody, Limit: 500}
	var all []*corev1.Pod
	for {
		page, err := f.pods.Pods(namespace).List(ctx, options)
		if err != nil {
			return fmt.Errorf("list pods of namespace %s: %w", namespace, err)
		}
		for i := range page.Items {
			all = append(all, &page.Items[i])
		}
		if options.Continue = page.Continue; options.Continue == "" {
			f.store.replace(namespace, all, page.ResourceVersion)
			return nil
		}
	}
}
