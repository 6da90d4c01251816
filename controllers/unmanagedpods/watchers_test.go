// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/sparkgate/sparkgate/internal/pods"
)

// crowd serves many large pods of a namespace, every tenth of them a Spark pod, in pages of the requested size.
func crowd(t *testing.T, many int) *watchers {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		limit, from := many, 0
		if query.Get("resourceVersion") == "" { // an API server ignores the limit for a list from its own cache
			limit, _ = strconv.Atoi(query.Get("limit"))
			from, _ = strconv.Atoi(query.Get("continue"))
		}
		if limit == 0 || limit > 2*pods.PageSize {
			t.Errorf("asked for %d pods at once: %s", limit, r.URL.RawQuery)
		}
		list := corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1000"}}
		for i := from; i < min(from+limit, many); i++ {
			list.Items = append(list.Items, *large(i))
		}
		if from+limit < many {
			list.Continue = strconv.Itoa(from + limit)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(&list)
	}))
	t.Cleanup(server.Close)
	client, err := corev1client.NewForConfig(&rest.Config{Host: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	return newWatchers(client, newStore(func(types.NamespacedName) {}))
}

func large(i int) *corev1.Pod {
	p := spark(fmt.Sprint("pod-", i), "driver", "spark-1", i)
	if i%10 > 0 {
		p.Labels, p.Spec.SchedulingGates = map[string]string{"app": "web"}, nil
	}
	text := strings.Repeat("x", 10_000)
	p.Annotations, p.Spec.Containers[0].Args = map[string]string{"note": text}, []string{text}
	return p
}

// TestPodsAreListedInPages: a new leader and the Reflector never hold more than one page of complete pods.
func TestPodsAreListedInPages(t *testing.T) {
	t.Parallel()
	const many = 3*pods.PageSize + 7
	w := crowd(t, many)
	if err := w.listAll(t.Context(), "team"); err != nil {
		t.Fatal(err)
	}
	if got := len(w.store.of("team")); got != many/10+1 {
		t.Errorf("the leader knows %d pods, want %d", got, many/10+1)
	}
	list, err := w.leanList(t.Context(), "team", metav1.ListOptions{ResourceVersion: "0", Limit: 500})
	if err != nil || len(list.Items) != many || list.ResourceVersion != "1000" || list.Continue != "" {
		t.Fatalf("%d pods of version %q, %v", len(list.Items), list.ResourceVersion, err)
	}
	if size := list.Size(); size > many*400 {
		t.Errorf("they take %d bytes", size)
	}
	w.store.forget("team")
	w.store.open("team")
	var all []any
	for i := range list.Items {
		all = append(all, &list.Items[i])
	}
	if _ = (reflectorStore{w.store, "team"}).Replace(all, "1000"); len(w.store.of("team")) != many/10+1 {
		t.Errorf("the Reflector brings %d pods", len(w.store.of("team")))
	}
}

// TestFirstListHasNoWholePods: if the API server streams the first list, the Reflector holds its pods in the reduced
// form of its store.
func TestFirstListHasNoWholePods(t *testing.T) {
	t.Parallel()
	s := newStore(func(types.NamespacedName) {})
	s.open("team")
	v := reflectorStore{s, "team"}
	collected := cache.NewStore(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.WithTransformer(v.Transformer()))
	for i := range 11 {
		if err := collected.Add(large(i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, obj := range collected.List() {
		if _, isPod := obj.(*corev1.Pod); isPod {
			t.Fatal("a whole pod is kept")
		}
	}
	if err := v.Replace(collected.List(), "1000"); err != nil {
		t.Fatal(err)
	}
	if got := len(s.of("team")); got != 2 {
		t.Errorf("%d pods, want 2", got)
	}
}
