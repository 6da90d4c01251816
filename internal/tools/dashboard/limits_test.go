// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// place is a server for viewers with tokens, of which the API server accepts "mine". It counts the tokens that it was shown. Every application
// has an argument of half a megabyte that HTML escapes.
type place struct {
	*Server
	t        *testing.T
	clock    *clocktesting.FakeClock
	reviewed atomic.Int32
}

func newPlace(t *testing.T) *place {
	p := &place{t: t, clock: clocktesting.NewFakeClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	apiServer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.HasSuffix(r.URL.Path, "/selfsubjectreviews"):
			p.reviewed.Add(1)
			if r.Header.Get("Authorization") != "Bearer mine" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			_ = json.NewEncoder(w).Encode(authenticationv1.SelfSubjectReview{})
		default:
			fmt.Fprintf(w, `{"apiVersion": "sparkgate.io/v1alpha1", "kind": "SparkApplication", "metadata": {"name": "pi"}, "spec": {"arguments": [%q]}}`, strings.Repeat("<", 500_000))
		}
	}))
	t.Cleanup(apiServer.Close)
	p.Server = New(t.Context(), Options{Clock: p.clock, ForToken: func(token string) (*client.Cluster, error) {
		return client.New(&rest.Config{Host: apiServer.URL, BearerToken: token}, "", "sparkgate-system")
	}})
	return p
}

// visit requests a page, or its stream.
func (p *place) visit(token, accept string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, "/applications/etl/pi/manifest", nil)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Accept", accept)
	w := httptest.NewRecorder()
	p.Handler().ServeHTTP(w, r)
	return w
}

// TestUnknownTokensAreBounded: invented tokens cost the API server a bounded number of reviews, and do not keep out a viewer who is known.
func TestUnknownTokensAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	if w := p.visit("mine", "text/html"); w.Code != http.StatusOK {
		t.Fatalf("%d %.300s", w.Code, w.Body)
	}
	for i := range 500 {
		w := p.visit(fmt.Sprintf("invented-%d", i), "text/html")
		if refused := i >= unknownAtOnce-1; refused != (w.Code == http.StatusServiceUnavailable) {
			t.Fatalf("token %d: %d %.300s", i, w.Code, w.Body)
		}
	}
	if n := p.reviewed.Load(); n > unknownAtOnce {
		t.Errorf("%d tokens were reviewed", n)
	}
	if w := p.visit("mine", "text/html"); w.Code != http.StatusOK {
		t.Errorf("a viewer who is known: %d %.300s", w.Code, w.Body)
	}
	p.clock.Step(time.Minute)
	if w := p.visit("invented", "text/html"); w.Code != http.StatusUnauthorized {
		t.Errorf("a minute later: %d %.300s", w.Code, w.Body)
	}
}

// TestManifestsAreBounded: the page of a large manifest shows its beginning, and no stream keeps it.
func TestManifestsAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	w := p.visit("mine", "text/html")
	if size := w.Body.Len(); size > 700_000 || !strings.Contains(w.Body.String(), "kubectl -n etl get sgapp pi -o yaml") {
		t.Errorf("%d bytes: %.300s", size, w.Body)
	}
	if w := p.visit("mine", "text/event-stream"); w.Body.Len() > 0 {
		t.Errorf("the stream has sent %.300s", w.Body)
	}
}

// TestPagesOfOneTenantAreBounded: pages that are not read do not fill the memory of the server.
func TestPagesOfOneTenantAreBounded(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for range maxPagesOfTenant {
		if !p.begin(p.pages, "", maxPagesOfTenant) {
			t.Fatal("a page within the limit is refused")
		}
	}
	if w := p.visit("mine", "text/html"); w.Code != http.StatusTooManyRequests {
		t.Errorf("one too many: %d %.300s", w.Code, w.Body)
	}
	p.end(p.pages, "")
	if w := p.visit("mine", "text/html"); w.Code != http.StatusOK {
		t.Errorf("after one has ended: %d %.300s", w.Code, w.Body)
	}
}
