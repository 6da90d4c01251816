// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/tools/client"
)

// TestStreamsOfOneTenant: one user cannot fill the memory of the server with streams, of which each keeps a page. A
// stream that has ended makes place for another one.
func TestStreamsOfOneTenant(t *testing.T) {
	t.Parallel()
	apiServer := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(apiServer.Close)
	cluster, err := client.New(&rest.Config{Host: apiServer.URL}, "", "sparkgate-system")
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewServer(New(t.Context(), Options{Local: cluster, Clock: clock.RealClock{}}).Handler())
	t.Cleanup(page.Close)
	open := func() (status int, end func()) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page.URL+"/queues", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "text/event-stream")
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = response.Body.Close() })
		return response.StatusCode, func() { _ = response.Body.Close() }
	}
	const most = 200
	var ends []func()
	for range most {
		status, end := open()
		if ends = append(ends, end); status != http.StatusOK {
			t.Fatalf("stream %d: status %d", len(ends), status)
		}
	}
	if status, _ := open(); status != http.StatusTooManyRequests {
		t.Errorf("one more: status %d", status)
	}
	ends[0]()
	for status := 0; status != http.StatusOK; { // the server sees the end of a connection a little later
		if t.Context().Err() != nil {
			t.Fatal("no place after the end of a stream")
		}
		status, _ = open()
	}
}
