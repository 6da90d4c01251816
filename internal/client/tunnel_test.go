// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// TestWithoutWebSockets: where a proxy refuses WebSockets, SPDY is tried, for forwarded ports and for commands.
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
	config := &rest.Config{Host: server.URL}
	client, err := clientOf(config)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cluster{Namespace: "etl", config: config, client: client}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "etl", Name: "driver"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "spark"}}},
	}
	if _, err := c.Forward(t.Context(), pod, 0, 4040, io.Discard); err == nil {
		t.Error("a port is forwarded by a server that upgrades nothing")
	}
	if err := c.Exec(t.Context(), pod, Session{Command: []string{"true"}, Out: io.Discard, Err: io.Discard}); err == nil {
		t.Error("a command runs on a server that upgrades nothing")
	} else if _, ofCommand := ExitStatus(err); ofCommand {
		t.Errorf("%v is taken for the command's", err)
	}
	for _, way := range []string{"portforward by websocket", "portforward by spdy/3.1", "exec by websocket", "exec by spdy/3.1"} {
		if !tried[way] {
			t.Errorf("not tried: %s; only %v", way, tried)
		}
	}
}

// TestCloseAfterWait: a forwarding can be closed when it has ended, and again.
func TestCloseAfterWait(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	f := &Forwarding{stop: sync.OnceFunc(func() { close(stop) }), ended: make(chan struct{})}
	go func() {
		<-stop
		close(f.ended)
	}()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f.Wait(ctx)
	f.Wait(t.Context())
	f.Close()
	f.Close()
}
