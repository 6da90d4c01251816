// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// requests counts the requests to the API server by what they are about.
type requests struct {
	mu   sync.Mutex
	seen map[string]int
}

func (r *requests) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		verb := "list"
		if request.URL.Query().Get("watch") != "" {
			verb = "watch"
		}
		r.mu.Lock()
		r.seen[verb+" "+request.URL.Path]++
		r.mu.Unlock()
		return next.RoundTrip(request)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// local serves the page with the rights of an administrator, and counts what it asks the API server for.
func local(t *testing.T) (viewer, *requests) {
	t.Helper()
	counts := &requests{seen: map[string]int{}}
	config := env.Config()
	config.QPS = -1
	config.Wrap(counts.wrap)
	c, err := client.New(config, "default", system)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(dashboard.New(t.Context(), dashboard.Options{Local: c, Clock: clock.RealClock{}}).Handler())
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return viewer{t: t, address: server.URL}, counts
}

// TestHundredTabs: a hundred open pages of a viewer all see what happens, and cost the API server as much as one of each kind.
func TestHundredTabs(t *testing.T) {
	t.Parallel()
	operator.Use(t)
	w := harness.NewWorld(t, "", nil)
	me, counts := local(t)
	pages := []string{"/applications?namespace=" + w.Namespace, "/usage?by=application&namespace=" + w.Namespace, "/queues/" + w.Queue.Name, "/queues"}
	var tabs []*stream
	for i := range 100 {
		tabs = append(tabs, me.follows(pages[i%len(pages)]))
	}
	for _, tab := range tabs {
		tab.until("view", "<h1>")
	}
	app := w.Apply("pi")
	driver := w.Run(app)
	for i, tab := range tabs {
		if i%len(pages) < 3 {
			tab.until("view", `href="`+applicationPath(app)+`"`)
		}
	}
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	tabs[0].until("view", "Succeeded")
	counts.mu.Lock()
	defer counts.mu.Unlock()
	for what, n := range counts.seen {
		if strings.Contains(what, "/apis/sparkgate.io/") && n > 1 {
			t.Errorf("%d times %s for a hundred pages", n, what)
		}
	}
}

// TestTooManyLists: a viewer who has more different lists open than the server takes sees that, and what is open continues.
func TestTooManyLists(t *testing.T) {
	t.Parallel()
	me, _ := local(t)
	const most = 64
	first := me.follows("/applications?namespace=none-0")
	first.until("view", "No application matches.")
	for i := 1; i < most; i++ {
		me.follows(fmt.Sprintf("/applications?namespace=none-%d", i)).until("view", "No application matches.")
	}
	if p := me.opens("/applications?namespace=one-more"); !strings.Contains(p.text, "more than 64 different lists are open") || !strings.Contains(p.text, "<nav") {
		t.Errorf("one more: %d %s", p.status, p.text)
	}
	me.sees("/applications?namespace=none-7", "No application matches.")
}
