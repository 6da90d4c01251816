// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// TestGuard: what a local server answers before it looks at anything.
func TestGuard(t *testing.T) {
	t.Parallel()
	c, err := client.New(&rest.Config{Host: "http://127.0.0.1:1"}, "default", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	handler := New(t.Context(), Options{Local: c, Secret: "s3cret", Hosts: []string{"127.0.0.1:80"}, Clock: clock.RealClock{}}).Handler()
	for name, tt := range map[string]struct {
		method, path, host string
		headers            map[string]string
		want               int
	}{
		"the first page":           {path: "/s3cret/", want: http.StatusSeeOther},
		"a file":                   {path: "/s3cret/static/page.css", want: http.StatusOK},
		"without the secret":       {path: "/queues", want: http.StatusNotFound},
		"a wrong secret":           {path: "/s3cre/queues", want: http.StatusNotFound},
		"the secret in the end":    {path: "/queues/s3cret", want: http.StatusNotFound},
		"a name that leads here":   {path: "/s3cret/", host: "evil.example.org:80", want: http.StatusMisdirectedRequest},
		"another port":             {path: "/s3cret/", host: "127.0.0.1:81", want: http.StatusMisdirectedRequest},
		"a form of another site":   {method: http.MethodPost, path: "/s3cret/applications/a/b/suspend", headers: map[string]string{"Sec-Fetch-Site": "cross-site"}, want: http.StatusForbidden},
		"a form of another origin": {method: http.MethodPost, path: "/s3cret/applications/a/b/suspend", headers: map[string]string{"Origin": "http://127.0.0.1:81"}, want: http.StatusForbidden},
		"an action that is none":   {method: http.MethodPost, path: "/s3cret/applications/a/b/delete", headers: map[string]string{"Sec-Fetch-Site": "same-origin"}, want: http.StatusNotFound},
		"an action by a link":      {path: "/s3cret/applications/a/b/suspend", want: http.StatusNotFound},
		"no login here":            {path: "/s3cret/login", want: http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(context.Background(), cmp.Or(tt.method, http.MethodGet), tt.path, nil)
			r.Host = "127.0.0.1:80"
			if tt.host != "" {
				r.Host = tt.host
			}
			for key, value := range tt.headers {
				r.Header.Set(key, value)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != tt.want {
				t.Errorf("%d, want %d: %s", w.Code, tt.want, w.Body)
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "script-src 'self'") || strings.Contains(csp, "unsafe") {
				t.Errorf("Content-Security-Policy is %q", csp)
			}
		})
	}
}

// TestOpensOnce: what a browser was started with leads to the page once, and shows the secret to none who asks later.
func TestOpensOnce(t *testing.T) {
	t.Parallel()
	c, err := client.New(&rest.Config{Host: "http://127.0.0.1:1"}, "default", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	handler := New(t.Context(), Options{Local: c, Secret: "s3cret", Once: "first", Hosts: []string{"127.0.0.1:80"}, Clock: clock.RealClock{}}).Handler()
	for _, tt := range []struct {
		method, path, host, to string
	}{
		{http.MethodPost, "/first", "127.0.0.1:80", ""}, {http.MethodGet, "/first", "evil.example.org:80", ""}, {http.MethodGet, "/fir", "127.0.0.1:80", ""},
		{http.MethodGet, "/first", "127.0.0.1:80", "/s3cret/"}, {http.MethodGet, "/first", "127.0.0.1:80", ""}, {http.MethodGet, "/", "127.0.0.1:80", ""},
	} {
		r, w := httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, nil), httptest.NewRecorder()
		r.Host = tt.host
		handler.ServeHTTP(w, r)
		if to := w.Header().Get("Location"); to != tt.to || tt.to == "" && strings.Contains(w.Body.String(), "s3cret") {
			t.Errorf("%s %s at %s leads to %q, want %q", tt.method, tt.path, tt.host, to, tt.to)
		}
	}
}

// TestLocalPath: after a login nothing leads to another site.
func TestLocalPath(t *testing.T) {
	t.Parallel()
	for to, want := range map[string]string{
		"/queues?page=2": "/queues?page=2", "": "/", "queues": "/", "//evil.example.org/": "/", "https://evil.example.org/": "/",
		`/\evil.example.org`: "/", "javascript:alert(1)": "/", "/%zz": "/",
	} {
		if got := localPath(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
}
