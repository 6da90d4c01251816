// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package monitoring

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// scene is an operator with a world, and a Prometheus that scrapes it.
type scene struct {
	*harness.World
	*prometheus
	t        *testing.T
	clock    *harness.Clock
	way      *way
	options  harness.OperatorOptions
	operator *harness.Operator
}

// newScene creates a world whose queue has that much memory. It does not start the operator.
func newScene(t *testing.T, memory string) *scene {
	t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	s := &scene{prometheus: newPrometheus(t, address), t: t, clock: &harness.Clock{}, way: &way{}}
	s.World = harness.NewWorld(t, memory, &harness.Kubelet{Run: harness.Manual, Clock: s.clock})
	config := env.Config()
	config.Wrap(s.way.below) // below the counting of writes
	s.options = harness.OperatorOptions{Config: config, Clock: s.clock, MetricsAddr: address, LeaseNamespace: s.Namespace}
	return s
}

// start starts the operator, and waits until it leads and is scraped.
func (s *scene) start() {
	s.t.Helper()
	s.operator = harness.StartOperator(s.t, s.options)
	harness.MeasuredSoon(s.t, 1, "leader_election_master_status")
	env.Until(s.t, "the metrics are served", func() bool {
		page, _, err := s.get()
		return err == nil && strings.Contains(string(page), `sparkgate_queue_pending{queue="`+s.Queue.Name+`"}`)
	})
}

// passWhile lets time pass, and calls again before each scrape.
func (s *scene) passWhile(again func(), steps int) {
	s.t.Helper()
	for range steps {
		again()
		s.tick(step)
	}
}

// grows waits until a metric is greater than it was, and returns its value.
func (s *scene) grows(was float64, name string, labels ...string) float64 {
	s.t.Helper()
	env.Until(s.t, name+" grows", func() bool { return harness.Measured(s.t, name, labels...) > was })
	return harness.Measured(s.t, name, labels...)
}

// way is the operator's connection to the API server, which may answer instead of the server, or not at all.
type way struct {
	mu     sync.Mutex
	refuse func(*http.Request) bool
	hold   func(*http.Request) bool
	// held is open while requests are held back.
	held chan struct{}
	// streams are the functions that end the streams.
	streams []context.CancelFunc
}

// answers passes everything on again.
func (w *way) answers() { w.set(nil, nil) }

// refuses answers the selected requests with 500.
func (w *way) refuses(such func(*http.Request) bool) { w.set(such, nil) }

// holds holds back the selected requests.
func (w *way) holds(such func(*http.Request) bool) { w.set(nil, such) }

func (w *way) set(refuse, hold func(*http.Request) bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held != nil {
		close(w.held)
	}
	w.refuse, w.hold, w.held = refuse, hold, make(chan struct{})
}

// cut ends all streams.
func (w *way) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, cancel := range w.streams {
		cancel()
	}
	w.streams = nil
}

func (w *way) below(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		w.mu.Lock()
		refused, held := w.refuse != nil && w.refuse(r), w.held
		if w.hold == nil || !w.hold(r) {
			held = nil
		}
		if r.URL.Query().Has("watch") {
			ctx, cancel := context.WithCancel(r.Context())
			w.streams, r = append(w.streams, cancel), r.WithContext(ctx)
		}
		w.mu.Unlock()
		if held != nil {
			select {
			case <-held:
			case <-r.Context().Done():
			}
		}
		if refused {
			return &http.Response{
				Status: "500 Internal Server Error", StatusCode: http.StatusInternalServerError, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
				Header: http.Header{"Content-Type": []string{"text/plain"}}, Body: io.NopCloser(bytes.NewReader(nil)), Request: r,
			}, nil
		}
		return next.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func isLease(r *http.Request) bool { return strings.Contains(r.URL.Path, "/leases") }

func isWrite(r *http.Request) bool { return r.Method != http.MethodGet && !isLease(r) }
