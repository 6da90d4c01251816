// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// TestWithoutWebSockets: where a proxy refuses WebSockets, SPDY is tried.
func TestWithoutWebSockets(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	tried := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		part := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		tried[part+" by "+strings.ToLower(r.Header.Get("Upgrade"))] = true
		http.Error(w, "no upgrades here", http.StatusBadRequest)
	}))
	defer server.Close()
	c, err := New(&rest.Config{Host: server.URL}, "etl", "")
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: "driver"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark"}}},
	}
	err = c.Forward(t.Context(), pod, Ports{Remote: 4040}, func(context.Context, uint16) error { return nil })
	if err == nil {
		t.Error("a port is forwarded by a server that upgrades nothing")
	}
	for _, way := range []string{"portforward by websocket", "portforward by spdy/3.1"} {
		if !tried[way] {
			t.Errorf("not tried: %s; only %v", way, tried)
		}
	}
}
