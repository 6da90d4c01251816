// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// listedApplications is how many applications each viewer may see.
const listedApplications = 10_000

// manyListed returns a list of applications as the API server sends it, in pages of 500, each application with a long
// message of an attempt, in all some 24 MiB.
func manyListed() []string {
	const size = 500
	var pages []string
	for first := 0; first < listedApplications; first += size {
		var out strings.Builder
		next := strconv.Itoa(len(pages) + 1)
		if first+size >= listedApplications {
			next = ""
		}
		fmt.Fprintf(&out, `{"kind":"SparkApplicationList","apiVersion":"sparkgate.io/v1alpha1","metadata":{"resourceVersion":"9","continue":%q},"items":[`, next)
		for i := first; i < first+size; i++ {
			fmt.Fprintf(&out, `%s{"metadata":{"namespace":"etl","name":"app-%d","uid":"u-%d","resourceVersion":"%d","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"team":"a"}},
				"spec":{"type":"Python","sparkVersion":"4.1.4","mainApplicationFile":"local:///x.py","executor":{"instances":2},"queue":{"name":"team-a"}},
				"status":{"conditions":[{"type":"Ready","status":"False","reason":"Queued","message":%q}],"queue":"team-a","run":1,"attempt":2,"attempts":[
					{"run":1,"attempt":1,"outcome":"Failed","reason":"Error","message":%q,"usage":{"queue":"team-a","since":"2026-01-01T00:00:00Z"}}]}}`,
				map[bool]string{true: ","}[i > first], i, i, i, strings.Repeat("m", 200), strings.Repeat("l", 1500))
		}
		out.WriteString("]}")
		pages = append(pages, out.String())
	}
	return pages
}

// apiServer stands for an API server that has one list, which never changes.
func apiServer(pages []string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Query().Get("watch") != "":
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case strings.HasSuffix(r.URL.Path, "/sparkapplications"):
			page, _ := strconv.Atoi(r.URL.Query().Get("continue")) // the first one has none
			_, _ = io.WriteString(w, pages[page])
		default:
			_, _ = io.WriteString(w, `{"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1","status":{"userInfo":{"username":"me"}}}`)
		}
	}))
}

// BenchmarkViewersAtOnce measures the heap of a server whose viewers all open the list of applications at the same instant: the most
// on the way, garbage included, and what is left once all have it.
func BenchmarkViewersAtOnce(b *testing.B) {
	api := apiServer(manyListed())
	defer api.Close()
	defer api.CloseClientConnections()
	for _, viewers := range []int{5, 50} {
		b.Run(fmt.Sprint(viewers), func(b *testing.B) {
			for b.Loop() {
				pages := New(b.Context(), Options{Clock: clock.RealClock{}, ForToken: func(string) (*client.Cluster, error) {
					return client.New(&rest.Config{Host: api.URL, QPS: -1}, "etl", "sparkgate-system")
				}})
				server := httptest.NewServer(pages.Handler())
				before, most := heapNow(true), watchHeap()
				var coming sync.WaitGroup
				for i := range viewers {
					coming.Go(func() { waitsForList(b, server.URL, fmt.Sprint("viewer-", i)) })
				}
				coming.Wait()
				b.ReportMetric(float64(most()-before)/(1<<20), "MiB-most")
				b.ReportMetric(float64(heapNow(true)-before)/(1<<20), "MiB-after")
				server.CloseClientConnections()
				server.Close()
				runtime.KeepAlive(pages)
			}
		})
	}
}

// waitsForList opens the list and keeps it open once it is complete.
func waitsForList(b *testing.B, address, token string) {
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address+"/applications", nil)
	if err != nil {
		b.Error(err)
		return
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		b.Error(err)
		return
	}
	b.Cleanup(func() { response.Body.Close() })
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			b.Error(err)
			return
		}
		if strings.HasPrefix(line, "data: ") && !strings.Contains(line, "still loading") {
			return
		}
	}
}

// heapNow returns the bytes of the heap, after a collection or with its garbage.
func heapNow(collected bool) int64 {
	if collected {
		runtime.GC()
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// watchHeap looks at the heap every 20 ms until the returned function is called, which returns the most.
func watchHeap() func() int64 {
	most, quit, done := int64(0), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		ticks := time.NewTicker(20 * time.Millisecond)
		defer ticks.Stop()
		for {
			most = max(most, heapNow(false))
			select {
			case <-quit:
				return
			case <-ticks.C:
			}
		}
	}()
	return func() int64 {
		close(quit)
		<-done
		return most
	}
}
