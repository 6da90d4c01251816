// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"github.com/sparkgate/sparkgate/internal/tools/dashboard/pages"
)

// policy allows a page to load from this server and send to it only, and forbids other pages to show it in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// maxBody is the maximum size of a request body in bytes. Forms have only a few fields.
const maxBody = 64 << 10

// guard refuses requests that do not come from a page of this server, and sets the headers of all responses.
func (s *Server) guard(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	origins.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		pages.WriteProblem(w, "", http.StatusForbidden, "The request came from a page of another site and was refused.")
	}))
	protected := origins.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if len(s.options.Hosts) > 0 && !slices.Contains(s.options.Hosts, r.Host) {
			pages.WriteProblem(w, "", http.StatusMisdirectedRequest, "This server does not serve this address. Open the one that sparkctl dashboard has printed.")
			return
		}
		if s.opensOnce(r) {
			http.Redirect(w, r, s.site.Base+"/", http.StatusSeeOther)
			return
		}
		if !s.knowsSecret(r) {
			pages.WriteProblem(w, "", http.StatusNotFound, "Open the whole address that sparkctl dashboard has printed.")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		protected.ServeHTTP(w, r)
	})
}

// opensOnce reports whether a request is the first one for the path that works only once.
func (s *Server) opensOnce(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.once == "" || r.Method != http.MethodGet || subtle.ConstantTimeCompare([]byte(r.URL.Path), []byte("/"+s.once)) != 1 {
		return false
	}
	s.once = ""
	return true
}

// knowsSecret reports whether the path begins with the secret, and removes it from the path.
func (s *Server) knowsSecret(r *http.Request) bool {
	if s.options.Secret == "" {
		return true
	}
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(first), []byte(s.options.Secret)) != 1 {
		return false
	}
	r.URL.Path, r.URL.RawPath = "/"+rest, ""
	return true
}
