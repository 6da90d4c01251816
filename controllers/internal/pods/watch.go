// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Watcher keeps a Store equal to the Spark pods of the API server. It runs on every replica, leader or not, so that a new leader
// finds the pods at hand.
type Watcher struct {
	client    v1.PodsGetter
	namespace string
	store     *Store
	reflector *cache.Reflector
}

// NewWatcher returns a watcher that fills store with the pods of namespace; empty means all namespaces.
func NewWatcher(client v1.PodsGetter, store *Store, namespace string) *Watcher {
	selected := func(o *metav1.ListOptions) { o.LabelSelector = v1alpha1.ApplicationUIDLabel }
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			selected(&o)
			return client.Pods(namespace).List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			selected(&o)
			return client.Pods(namespace).Watch(ctx, o)
		},
	}
	reflector := cache.NewReflectorWithOptions(source, &corev1.Pod{}, store, cache.ReflectorOptions{Name: "spark-pods"})
	return &Watcher{client: client, namespace: namespace, store: store, reflector: reflector}
}

// Start watches until ctx ends. It implements manager.Runnable.
func (w *Watcher) Start(ctx context.Context) error {
	w.reflector.RunWithContext(ctx)
	return nil
}

// Store is what the watcher fills.
func (w *Watcher) Store() *Store { return w.store }

// NeedLeaderElection says that standby replicas watch too.
func (w *Watcher) NeedLeaderElection() bool { return false }

// Seed brings the store up to what the API server has now, by a consistent LIST. A new leader calls it before it decides
// anything: its watch may lag behind what the leader before it has done. Events of the watch that are older than the LIST do not undo it.
func (w *Watcher) Seed(ctx context.Context) error {
	options := metav1.ListOptions{LabelSelector: v1alpha1.ApplicationUIDLabel, Limit: 500}
	var all []any
	for {
		page, err := w.client.Pods(w.namespace).List(ctx, options)
		if err != nil {
			return fmt.Errorf("list spark pods: %w", err)
		}
		for i := range page.Items {
			all = append(all, &page.Items[i])
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return w.store.Replace(all, page.ResourceVersion)
		}
	}
}
