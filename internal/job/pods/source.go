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
)

// PageSize is how many pods are read in one request. A pod has at most 1.5 MiB, Spark's own have a few KiB.
const PageSize = 64

// Source is where the pods of a Cache come from: those of a namespace, or of all if it is empty, that match a label
// selector.
type Source struct {
	Client              v1.PodsGetter
	Namespace, Selector string
}

// Fill updates a cache with a consistent LIST of the API server.
func Fill[T recorded](ctx context.Context, from Source, into *Cache[T]) error {
	var all []any
	version, err := from.eachPage(ctx, metav1.ListOptions{}, func(p *corev1.Pod) { all = append(all, into.reduce(p)) })
	if err == nil {
		into.replace(from.Namespace, all, version)
	}
	return err
}

// Reflect keeps a cache up to date with the API server until ctx ends.
func Reflect[T recorded](ctx context.Context, from Source, into *Cache[T]) {
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return leanList(ctx, from, into, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector = from.Selector
			return from.Client.Pods(from.Namespace).Watch(ctx, o)
		},
	}
	cache.NewReflectorWithOptions(source, &corev1.Pod{}, namespaced[T]{into, from.Namespace}, cache.ReflectorOptions{Name: "pods"}).RunWithContext(ctx)
}

// namespaced is a cache as the Reflector of one namespace sees it, or of all under the empty name.
type namespaced[T recorded] struct {
	*Cache[T]
	namespace string
}

// Replace stores a complete list of the pods of the namespace.
func (n namespaced[T]) Replace(list []any, resourceVersion string) error {
	n.replace(n.namespace, list, resourceVersion)
	return nil
}

// leanList returns the complete list for a Reflector whose API server cannot stream it, with only those fields of each
// pod that the cache needs.
func leanList[T recorded](ctx context.Context, from Source, into *Cache[T], o metav1.ListOptions) (*corev1.PodList, error) {
	list, none := &corev1.PodList{}, *new(T)
	version, err := from.eachPage(ctx, o, func(p *corev1.Pod) {
		if r := into.reduce(p); r.kept == none {
			p = &corev1.Pod{ObjectMeta: r.ObjectMeta}
		}
		list.Items = append(list.Items, *Lean(p))
	})
	list.ResourceVersion = version
	return list, err
}

// eachPage calls see with each pod, page by page, and returns the resource version of the list. It sets no resource
// version, because an API server ignores the page limit when it answers from its cache.
func (s Source) eachPage(ctx context.Context, o metav1.ListOptions, see func(*corev1.Pod)) (version string, err error) {
	o.LabelSelector, o.Limit, o.Continue, o.ResourceVersion, o.ResourceVersionMatch = s.Selector, PageSize, "", "", ""
	for {
		page, err := s.Client.Pods(s.Namespace).List(ctx, o)
		if err != nil {
			return "", fmt.Errorf("list pods: %w", err)
		}
		for i := range page.Items {
			see(&page.Items[i])
		}
		if o.Continue = page.Continue; o.Continue == "" {
			return page.ResourceVersion, nil
		}
	}
}
