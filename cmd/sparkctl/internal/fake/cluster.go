// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fake is an API server for tests of what commands do inside. It gives the answers that a test lists.
package fake

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// Namespaced is the path of the objects of the namespace spark, to which the cluster's client belongs.
const Namespaced = "/apis/sparkgate.io/v1alpha1/namespaces/spark/"

// Cluster returns a cluster that answers to paths, each with the objects in their order. The last one is repeated. An answer
// that is nil, or a path that is not listed, is not found. An object at the path of a kind is sent to a watch, as changed.
func Cluster(t *testing.T, answers map[string][]any) *client.Cluster {
	t.Helper()
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var answer any
		if given := answers[r.URL.Path]; len(given) > 0 {
			if answer = given[0]; len(given) > 1 {
				answers[r.URL.Path] = given[1:]
			}
		}
		switch {
		case answer == nil:
			w.WriteHeader(http.StatusNotFound)
			answer = metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound}
		case r.URL.Query().Has("watch"):
			text, err := json.Marshal(answer)
			if err != nil {
				t.Error(err)
			}
			answer = metav1.WatchEvent{Type: "MODIFIED", Object: runtime.RawExtension{Raw: text}}
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	c, err := client.New(&rest.Config{Host: server.URL}, "spark", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	return c
}
