// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
)

// crowd serves many large pods, every tenth of them a driver, in pages of the requested size.
type crowd struct {
	v1.PodInterface
	t    *testing.T
	many int
}

func (c crowd) Pods(string) v1.PodInterface { return c }

func (c crowd) List(_ context.Context, o metav1.ListOptions) (*corev1.PodList, error) {
	limit, from := c.many, 0
	if o.ResourceVersion == "" { // an API server ignores the limit for a list from its own cache
		limit = int(o.Limit)
		from, _ = strconv.Atoi(o.Continue)
	}
	if limit == 0 || limit > 2*PageSize {
		c.t.Errorf("asked for %d pods at once: %+v", limit, o)
	}
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "1000"}}
	for i := from; i < min(from+limit, c.many); i++ {
		list.Items = append(list.Items, *member(i))
	}
	if from+limit < c.many {
		list.Continue = strconv.Itoa(from + limit)
	}
	return list, nil
}

func member(i int) *corev1.Pod {
	role := executor
	if i%10 == 0 {
		role = func(*corev1.Pod) {}
	}
	return podOf(fmt.Sprint("pod-", i), at(i+1), fat, role)
}

// drivers returns a cache that keeps drivers only.
func drivers() *Cache[*Record] {
	return NewCache(Rules[*Record]{
		Reduce: func(p *corev1.Pod) *Record {
			if r := RecordOf(p); r.Role == Driver {
				return r
			}
			return nil
		},
		Same: same, Index: func(*Record, *Record) {}, Subject: appOf, Changed: func(types.NamespacedName) {},
	})
}

// TestPodsAreListedInPages: a new leader and the Reflector never hold more than one page of complete pods.
func TestPodsAreListedInPages(t *testing.T) {
	t.Parallel()
	const many = 3*PageSize + 7
	from, c := Source{Client: crowd{t: t, many: many}}, drivers()
	if err := Fill(t.Context(), from, c); err != nil {
		t.Fatal(err)
	}
	if got := len(c.All("default")); got != many/10+1 {
		t.Errorf("the leader knows %d pods, want %d", got, many/10+1)
	}
	c = drivers()
	list, err := leanList(t.Context(), from, c, metav1.ListOptions{ResourceVersion: "0", Limit: 500})
	if err != nil || len(list.Items) != many || list.ResourceVersion != "1000" || list.Continue != "" {
		t.Fatalf("%d pods of version %q, %v", len(list.Items), list.ResourceVersion, err)
	}
	if size := list.Size(); size > many*400 {
		t.Errorf("they take %d bytes", size)
	}
	var all []any
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	if do(t, c.Replace(all, "1000")); len(c.All("default")) != many/10+1 {
		t.Errorf("the Reflector brings %d pods", len(c.All("default")))
	}
}

// TestFirstListHasNoWholePods: if the API server streams the first list, the Reflector holds its pods in the reduced
// form of its cache, also those that the cache does not keep.
func TestFirstListHasNoWholePods(t *testing.T) {
	t.Parallel()
	c := drivers()
	collected := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.WithTransformer(c.Transformer()))
	for i := range 11 {
		do(t, collected.Add(member(i)))
	}
	for _, obj := range collected.List() {
		if _, isPod := obj.(*corev1.Pod); isPod {
			t.Fatal("a whole pod is kept")
		}
	}
	do(t, c.Replace(collected.List(), "1000"))
	if got := len(c.All("default")); got != 2 {
		t.Errorf("%d pods, want 2", got)
	}
}
