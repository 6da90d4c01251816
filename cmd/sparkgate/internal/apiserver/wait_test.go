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
	if err != nil || found == nil || !found.waits || found.message != "Waiting for the API server to accept the token" {
		t.Errorf("with a file: %v, %+v", err, found)
	}
	if found, err = (apiServer{client: client}).check(t.Context()); err == nil || !strings.Contains(err.Error(), "correct the user in the kubeconfig") {
		t.Errorf("without a file: %v, %+v", err, found)
	}
}

// TestSchemas: the operator waits for CRDs that are older than itself, and for an API server that cannot say it yet. It
// does not wait for newer ones, or for one that refuses to say it.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		code  int
		crd   string
		waits bool
		says  string // empty: nothing
	}{
		"the same":     {http.StatusOK, "2-abc", false, ""},
		"another hash": {http.StatusOK, "2-def", false, ""},
		"newer":        {http.StatusOK, "10-abc", false, ""},
		"older":        {http.StatusOK, "1-abc", true, "these are older than the operator"},
		"without one":  {http.StatusOK, "", true, "these are older than the operator"},
		"unavailable":  {http.StatusServiceUnavailable, "", true, "Waiting for the API server"},
		"failing":      {http.StatusInternalServerError, "", true, "Waiting for the API server"},
		"busy":         {http.StatusTooManyRequests, "", true, "Waiting for the API server"},
		"gone":         {http.StatusNotFound, "", true, "Waiting for the API server"},
		"forbidden":    {http.StatusForbidden, "", false, "is not known"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				switch r.URL.Path {
				case "/version":
					_, _ = w.Write([]byte(`{"gitVersion":"v1.36.0"}`))
				case "/apis/sparkgate.io/v1alpha1":
					_, _ = w.Write([]byte(`{"kind":"APIResourceList","resources":[{"kind":"SparkApplication"},{"kind":"ScheduledSparkApplication"},{"kind":"SparkCluster"},{"kind":"SparkQueue"},{"kind":"SparkFlavor"}]}`))
				default:
					w.WriteHeader(tt.code)
					_, _ = w.Write([]byte(`{"metadata":{"annotations":{"sparkgate.io/schema":"` + tt.crd + `"}}}`))
				}
			}))
			t.Cleanup(server.Close)
			client := discovery.NewDiscoveryClientForConfigOrDie(&rest.Config{Host: server.URL})
			found, err := apiServer{client: client, own: map[string]int{"sparkqueues.sparkgate.io": 2}}.check(t.Context())
			if err != nil || (found == nil) != (tt.says == "") || found != nil && (found.waits != tt.waits || !strings.Contains(found.message, tt.says)) {
				t.Errorf("%+v, %v; want it to wait: %t, to say %q", found, err, tt.waits, tt.says)
			}
		})
	}
}

// TestOwnSchemas: each CRD with which the operator was built has a number.
func TestOwnSchemas(t *testing.T) {
	t.Parallel()
	own, err := ownSchemas()
	if err != nil || len(own) != len(kinds) {
		t.Fatalf("%v, %v", own, err)
	}
	for name, number := range own {
		if number < 1 {
			t.Errorf("%s has no number: run make manifests", name)
		}
	}
}
