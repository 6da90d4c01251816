// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package browser

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/internal/tools/client"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	manyApplications = 10_000
	manyQueues       = 500
	manyViewers      = 50
	// listed is how often the bare list is repeated.
	listed = 5
)

// counted is a transport that counts requests to the API server.
type counted struct{ requests atomic.Int64 }

func (c *counted) wrap(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		c.requests.Add(1)
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestSlowFigures prints the figures of docs/dashboard.md. It only checks that the pages can be loaded.
func TestSlowFigures(t *testing.T) {
	w := harness.NewWorld(t, "", nil)
	populate(t, w)
	way := &counted{}
	config := env.Config()
	config.QPS = -1
	config.Wrap(way.wrap)
	c, err := client.New(config, w.Namespace, "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	k := clock.RealClock{}
	for range listed {
		begin := k.Now()
		all, err := client.ListAll[v1alpha1.SparkApplication](t.Context(), c, client.Applications, client.Selection{})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("bare LIST of %d applications: %s", len(all), k.Since(begin))
	}
	server, base := figuresServer(t, c, k)
	for _, path := range []string{"/applications", "/applications", "/queues", "/queues", "/usage"} {
		paints(t, base+path)
	}
	before := way.requests.Load()
	b := site{server, base}.open(t, "/applications")
	b.has("it is live", `document.body.dataset.updates > 0`)
	<-k.After(time.Minute)
	t.Logf("requests of an open page in its first minute: %d", way.requests.Load()-before)
	for _, path := range []string{"/queues", "/applications?namespace=" + w.Namespace} {
		memory(t, config, path, false)
		memory(t, config, path, true)
	}
}

// populate creates queues and applications, which no operator reconciles.
func populate(t *testing.T, w *harness.World) {
	t.Helper()
	work := make(chan func() error)
	var busy sync.WaitGroup
	for range 16 {
		busy.Go(func() {
			for create := range work {
				if err := create(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range manyQueues {
		work <- func() error {
			return env.Client().Create(t.Context(), &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", w.Namespace, i)}, Spec: v1alpha1.SparkQueueSpec{
				Flavors: []v1alpha1.FlavorQuota{{Name: "default", Quotas: []v1alpha1.ResourceQuota{{Resource: "cpu", Nominal: resource.MustParse("64")}}}},
			}})
		}
	}
	for i := range manyApplications {
		work <- func() error { return env.Client().Create(t.Context(), w.Pi(fmt.Sprintf("app-%05d", i))) }
	}
	close(work)
	busy.Wait()
	t.Cleanup(func() {
		for i := range manyQueues {
			_ = ctrl.IgnoreNotFound(env.Client().Delete(context.WithoutCancel(t.Context()), &v1alpha1.SparkQueue{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", w.Namespace, i)}}))
		}
	})
}

// figuresServer serves pages and counts their requests.
func figuresServer(t *testing.T, c *client.Cluster, k clock.WithDelayedExecution) (*httptest.Server, string) {
	t.Helper()
	server := httptest.NewServer(dashboard.New(t.Context(), dashboard.Options{Local: c, Secret: "secret", Clock: k}).Handler())
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return server, server.URL + "/secret"
}

// paints measures when the browser has painted a page, and when the page could be used.
func paints(t *testing.T, address string) {
	t.Helper()
	b := site{base: address}.open(t, "")
	b.has("it is painted", `performance.getEntriesByName("first-contentful-paint").length`)
	t.Logf("%s: first paint %.0f ms, interactive %.0f ms", address, value[float64](b, `performance.getEntriesByName("first-contentful-paint")[0].startTime`),
		value[float64](b, `performance.getEntriesByType("navigation")[0].domInteractive`))
}

// memory measures the heap with several viewers, each with a page open; they come one after the other, or all at once.
func memory(t *testing.T, config *rest.Config, path string, atOnce bool) {
	t.Helper()
	k := clock.RealClock{}
	before, most, begin := heap(), sample(), k.Now()
	pages := dashboard.New(t.Context(), dashboard.Options{Clock: clock.RealClock{}, ForToken: func(string) (*client.Cluster, error) {
		return client.New(rest.CopyConfig(config), "default", "sparkgate-system")
	}})
	server := httptest.NewServer(pages.Handler())
	var coming sync.WaitGroup
	for i := range manyViewers {
		coming.Go(func() { watches(t, server.URL+path, fmt.Sprint("viewer-", i)) })
		if !atOnce {
			coming.Wait()
		}
	}
	coming.Wait()
	t.Logf("%d viewers with %s open, at once: %t, all after %s: at most %.1f MiB of heap on the way, %.1f MiB more afterwards",
		manyViewers, path, atOnce, k.Since(begin).Round(time.Second/10), most.stop(), float64(int64(heap())-int64(before))/(1<<20))
	server.CloseClientConnections()
	server.Close()
	runtime.KeepAlive(pages)
}

// watches opens the stream of a page, and keeps it open.
func watches(t *testing.T, address, token string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Error(err)
		return
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Error(err)
		return
	}
	t.Cleanup(func() { response.Body.Close() })
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d, %v", address, response.StatusCode, err)
			return
		}
		if strings.HasPrefix(line, "data: ") && !strings.Contains(line, "still loading") {
			return
		}
	}
}

// peak is the highest use of the heap since it was started, including garbage.
type peak struct {
	most uint64
	quit chan struct{}
	done sync.WaitGroup
}

// sample starts a peak.
func sample() *peak {
	p := &peak{quit: make(chan struct{})}
	p.done.Go(func() {
		for ticks := time.NewTicker(100 * time.Millisecond); ; {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			p.most = max(p.most, m.HeapAlloc)
			select {
			case <-p.quit:
				return
			case <-ticks.C:
			}
		}
	})
	return p
}

// stop ends a peak and returns it in MiB.
func (p *peak) stop() float64 {
	close(p.quit)
	p.done.Wait()
	return float64(p.most) / (1 << 20)
}

// heap returns the use of the heap after a collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
