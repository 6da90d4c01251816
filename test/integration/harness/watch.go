// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// endless watches the objects of a namespace from now on. It resumes when the API server closes the watch, as it does
// with slow readers.
func endless(t *testing.T, list client.ObjectList, namespace string) watch.Interface {
	t.Helper()
	scheme, err := env.Scheme()
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.NewWithWatch(env.Config(), client.Options{Scheme: scheme})
	if err != nil {
		t.Fatalf("make a client: %v", err)
	}
	if err := c.List(t.Context(), list, client.InNamespace(namespace)); err != nil {
		t.Fatalf("list: %v", err)
	}
	stream, err := watchtools.NewRetryWatcherWithContext(context.Background(), list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return c.Watch(ctx, list, &client.ListOptions{Namespace: namespace, Raw: &o})
		},
	})
	if err != nil {
		t.Fatalf("watch: %v", err)
	}
	return stream
}
