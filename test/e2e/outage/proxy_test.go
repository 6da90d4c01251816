// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package outage

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/sparkgate/sparkgate/test/e2e/env"
)

// trap watches the writes of one life, and may kill the operator at one of them.
type trap struct {
	// name has to occur in the path or the body of a write for it to belong to the life.
	name string
	// at is the write that springs the trap, as nameWrite names it; empty for none. If after is set, the API server
	// performs the write, and only the answer is lost.
	at    string
	after bool
	// kill ends the operator.
	kill func()

	// sprung is closed when the operator is dead.
	sprung chan struct{}
	// writes are those seen so far.
	writes []string
}

// proxy is the operator's connection to the API server: plain HTTP on this machine's loopback, with an administrator's
// rights behind it.
type proxy struct {
	server  *httptest.Server
	forward *httputil.ReverseProxy
	mu      sync.Mutex
	trap    *trap
}

func startProxy(t *testing.T) *proxy {
	t.Helper()
	config := env.Config()
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{forward: &httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport: transport,
		// Events of watches have to be sent at once.
		FlushInterval: -1,
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { panic(http.ErrAbortHandler) },
	}}
	p.server = httptest.NewServer(p)
	// Open watches would make Close wait.
	t.Cleanup(p.server.CloseClientConnections)
	return p
}

// set replaces the trap.
func (p *proxy) set(tr *trap) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.trap = tr
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !isWrite(r) {
		p.forward.ServeHTTP(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		// The operator died while it wrote.
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	sprung := p.count(r, body)
	if sprung == nil {
		p.forward.ServeHTTP(w, r)
		return
	}
	if sprung.after {
		p.forward.ServeHTTP(httptest.NewRecorder(), r)
	}
	sprung.kill()
	close(sprung.sprung)
	panic(http.ErrAbortHandler)
}

// count records a write, and returns the trap that it springs, or nil.
func (p *proxy) count(r *http.Request, body []byte) *trap {
	p.mu.Lock()
	defer p.mu.Unlock()
	tr := p.trap
	if tr == nil || !strings.Contains(r.URL.Path, tr.name) && !bytes.Contains(body, []byte(tr.name)) {
		return nil
	}
	write := nameWrite(tr.name, r, body)
	nth := 1
	for slices.Contains(tr.writes, nthWrite(write, nth)) {
		nth++
	}
	tr.writes = append(tr.writes, nthWrite(write, nth))
	if tr.at != nthWrite(write, nth) {
		return nil
	}
	return tr
}

func nthWrite(write string, n int) string { return fmt.Sprintf("%s #%d", write, n) }

// nameWrite returns a name for a write that is the same in every life: method and path, with a star instead of names of
// the life. It distinguishes a ledger from the other parts of a queue's status.
func nameWrite(life string, r *http.Request, body []byte) string {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if i := slices.Index(parts, "namespaces"); i >= 0 && len(parts) > i+2 {
		parts = parts[i+2:]
	}
	for i := range parts {
		if strings.HasPrefix(parts[i], life) {
			parts[i] = "*"
		}
	}
	write := r.Method + " " + strings.Join(parts, "/")
	if bytes.Contains(body, []byte(`"ledger"`)) {
		write += " (ledger)"
	}
	return write
}

// seen returns the writes that a trap has counted.
func (p *proxy) seen(tr *trap) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(tr.writes)
}

// isWrite reports whether a request changes something that counts: events do not, and reviews of rights store nothing.
func isWrite(r *http.Request) bool {
	return r.Method != http.MethodGet && !strings.Contains(r.URL.Path, "/events") && !strings.Contains(r.URL.Path, "authorization.k8s.io")
}
