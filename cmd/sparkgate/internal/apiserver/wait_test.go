// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
)

// TestRefusedToken: a token from a file may be accepted later, one in the kubeconfig is not.
func TestRefusedToken(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(server.Close)
	client := discovery.NewDiscoveryClientForConfigOrDie(&rest.Config{Host: server.URL})
	found, err := apiServer{client: client, renewed: true}.check(t.Context())
	if err != nil || len(found) != 1 || !found[0].waits || found[0].message != "Waiting for the API server to accept the token" {
		t.Errorf("with a file: %v, %+v", err, found)
	}
	if found, err = (apiServer{client: client}).check(t.Context()); err == nil || !strings.Contains(err.Error(), "correct the user in the kubeconfig") {
		t.Errorf("without a file: %v, %+v", err, found)
	}
}

// TestSchemasThatAreLate: the operator waits for an API server that cannot yet say which fields its CRDs keep, because
// grants are lost if the CRDs are too old. It does not wait for one that refuses to say it.
func TestSchemasThatAreLate(t *testing.T) {
	t.Parallel()
	for code, waits := range map[int]bool{
		http.StatusServiceUnavailable: true, http.StatusInternalServerError: true, http.StatusTooManyRequests: true,
		http.StatusForbidden: false, http.StatusNotFound: false,
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			switch r.URL.Path {
			case "/version":
				_, _ = w.Write([]byte(`{"gitVersion":"v1.36.0"}`))
			case "/apis/sparkgate.io/v1alpha1":
				_, _ = w.Write([]byte(`{"kind":"APIResourceList","resources":[{"kind":"SparkApplication"},{"kind":"ScheduledSparkApplication"},{"kind":"SparkQueue"},{"kind":"SparkFlavor"}]}`))
			default:
				w.WriteHeader(code)
			}
		}))
		t.Cleanup(server.Close)
		client := discovery.NewDiscoveryClientForConfigOrDie(&rest.Config{Host: server.URL})
		found, err := apiServer{client: client}.check(t.Context())
		if err != nil || len(found) != 1 || found[0].waits != waits {
			t.Errorf("%d: waits %t, want %t: %+v, %v", code, !waits, waits, found, err)
		}
	}
}
