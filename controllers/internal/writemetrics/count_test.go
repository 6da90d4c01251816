// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package writemetrics

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"
)

func TestWriteOf(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path   string
		verb, resource string // empty: no write
	}{
		"get":                       {"GET", "/api/v1/namespaces/a/pods/b", "", ""},
		"watch":                     {"GET", "/apis/sparkgate.io/v1alpha1/sparkapplications", "", ""},
		"create":                    {"POST", "/api/v1/namespaces/a/pods", "create", "pods"},
		"delete":                    {"DELETE", "/api/v1/namespaces/a/pods/b", "delete", "pods"},
		"delete many":               {"DELETE", "/api/v1/namespaces/a/pods", "deletecollection", "pods"},
		"patch a status":            {"PATCH", "/apis/sparkgate.io/v1alpha1/namespaces/a/sparkapplications/b/status", "patch", "sparkapplications/status"},
		"patch an object":           {"PATCH", "/apis/sparkgate.io/v1alpha1/namespaces/a/sparkapplications/b", "patch", "sparkapplications"},
		"update, cluster-wide":      {"PUT", "/apis/sparkgate.io/v1alpha1/sparkqueues/root/status", "update", "sparkqueues/status"},
		"a namespace":               {"PATCH", "/api/v1/namespaces/a", "patch", "namespaces"},
		"a namespace's status":      {"PATCH", "/api/v1/namespaces/a/status", "patch", "namespaces/status"},
		"another resource's status": {"PATCH", "/api/v1/namespaces/a/services/status", "patch", "services"},
		"a review":                  {"POST", "/apis/authentication.k8s.io/v1/tokenreviews", "create", "tokenreviews"},
		"no object":                 {"POST", "/version", "", ""},
		"no resource":               {"POST", "/apis/sparkgate.io/v1alpha1", "", ""},
		"nothing":                   {"POST", "", "", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			verb, resource, ok := writeOf(tc.method, tc.path)
			if verb != tc.verb || resource != tc.resource || ok != (tc.verb != "") {
				t.Errorf("got %q %q %t, want %q %q", verb, resource, ok, tc.verb, tc.resource)
			}
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestCount: each write is counted once, by its result. Reads are not counted. The response is passed on unchanged.
func TestCount(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection reset")
	answers := []struct {
		code int
		err  error
	}{{201, nil}, {409, nil}, {0, lost}}
	for i, a := range answers {
		way := Count(transport(func(*http.Request) (*http.Response, error) {
			if a.err != nil {
				return nil, a.err
			}
			return &http.Response{StatusCode: a.code}, nil
		}))
		for _, method := range []string{"POST", "GET"} {
			response, err := way.RoundTrip(httptest.NewRequest(method, "/apis/test.example.com/v1/namespaces/a/counted", nil))
			if !errors.Is(err, a.err) || err == nil && response.StatusCode != a.code {
				t.Errorf("answer %d: got %v, %v", i, response, err)
			}
		}
	}
	for _, code := range []string{"201", "409", noAnswer} {
		if n := testutil.ToFloat64(writes.WithLabelValues("create", "counted", code)); n != 1 {
			t.Errorf("%v writes with the code %s, want 1", n, code)
		}
	}
}
