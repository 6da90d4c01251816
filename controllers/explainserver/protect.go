// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"errors"
	"net/http"

	"github.com/go-logr/logr"
	"k8s.io/utils/clock"
)

// Protect guards a handler of paths that are not resources, such as /metrics: it lets a request through if the user of
// its token may get the path. Reviews are limited and cached as for explanations.
func Protect(next http.Handler, reviewer Reviewer, c clock.PassiveClock, log logr.Logger) http.Handler {
	m := newAuthCache(reviewer, c)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code, err := m.allows(r)
		if err != nil && !errors.Is(err, errTooManyRequests) && r.Context().Err() == nil {
			log.Error(err, "Cannot authenticate or authorize a client", "path", r.URL.Path)
		}
		if code == http.StatusOK {
			next.ServeHTTP(w, r)
			return
		}
		if code == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", "Bearer")
		}
		http.Error(w, http.StatusText(code), code)
	})
}

// allows returns the HTTP code with which to answer a request: 200 if its user may get the path. err is the cause of a
// code 429 or 500.
func (a *authCache) allows(r *http.Request) (code int, err error) {
	token := tokenOf(r)
	if token == "" {
		return http.StatusUnauthorized, nil
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return http.StatusMethodNotAllowed, nil
	}
	c, err := a.authenticate(r.Context(), sourceOf(r), token)
	if err == nil && c == nil {
		return http.StatusUnauthorized, nil
	}
	allowed := false
	if err == nil {
		allowed, err = a.mayGet(r.Context(), c, Object{Path: r.URL.Path})
	}
	switch {
	case errors.Is(err, errTooManyRequests):
		return http.StatusTooManyRequests, err
	case err != nil:
		return http.StatusInternalServerError, err
	case !allowed:
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}
