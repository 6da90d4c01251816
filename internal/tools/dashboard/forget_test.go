// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// TestCredentialsAreForgotten: with the logout, and some time after the last page of a viewer.
func TestCredentialsAreForgotten(t *testing.T) {
	t.Parallel()
	apiServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/selfsubjectreviews") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(authenticationv1.SelfSubjectReview{})
	}))
	defer apiServer.Close()
	clock := clocktesting.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	s := New(t.Context(), Options{Clock: clock, ForToken: func(token string) (*client.Cluster, error) {
		return client.New(&rest.Config{Host: apiServer.URL, BearerToken: token}, "", "sparkgate-system")
	}})
	visits := func(method, path string) {
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.AddCookie(&http.Cookie{Name: cookieName, Value: "mine"})
		s.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	known := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.viewers)
	}
	const page = "/applications/etl/pi/manifest"
	for _, step := range []struct {
		what string
		do   func()
		want int
	}{
		{"a page", func() { visits(http.MethodGet, page) }, 1},
		{"soon afterwards", func() { clock.Step(forgetAfter - time.Second) }, 1},
		{"another page", func() { visits(http.MethodGet, page) }, 1},
		{"while the first would be forgotten", func() { clock.Step(time.Minute) }, 1},
		{"long after the last page", func() { clock.Step(forgetAfter) }, 0},
		{"a page once more", func() { visits(http.MethodGet, page) }, 1},
		{"the logout", func() { visits(http.MethodPost, "/logout") }, 0},
	} {
		step.do()
		if got := known(); got != step.want {
			t.Errorf("%s: %d viewers are known, want %d", step.what, got, step.want)
		}
	}
}
