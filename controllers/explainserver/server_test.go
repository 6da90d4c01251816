// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
)

// log collects log lines.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) write(prefix, args string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.WriteString(prefix + args + "\n")
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// serve runs a server until the test ends, and returns its address and what it logs.
func serve(t *testing.T) (address string, logged *log) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace()
	logged = &log{}
	s := NewServer(l, Options{
		Reader: stored{}, Queues: p.queues, Reviewer: p.reviewer, Clock: p.clock, Log: funcr.New(logged.write, funcr.Options{Verbosity: 9}),
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- s.Start(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server has ended: %v", err)
		}
	})
	return l.Addr().String(), logged
}

// clientOf returns a client that does not verify the certificate, like the API server's proxy.
func clientOf(t *testing.T) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestServer(t *testing.T) {
	t.Parallel()
	address, logged := serve(t)
	c := clientOf(t)
	tests := map[string]struct {
		token string
		code  int
	}{
		"answers":               {token: "ann", code: 200},
		"a token of nobody":     {token: "eve-secret", code: 401},
		"does not read a novel": {token: strings.Repeat("x", 2*maxHeader), code: 431},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+queue, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+tc.token)
			response, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			if err != nil || response.StatusCode != tc.code {
				t.Errorf("%d %s (%v), want %d", response.StatusCode, body, err, tc.code)
			}
			if response.ProtoMajor != 1 || response.TLS == nil || response.TLS.Version != tls.VersionTLS13 {
				t.Errorf("protocol %s, %+v", response.Proto, response.TLS)
			}
		})
	}
	if text := logged.String(); strings.Contains(text, "ann") || strings.Contains(text, "secret") {
		t.Errorf("a token was logged:\n%s", text)
	}
}

// TestSlowClientsAreSentAway: the connection of a client that sends nothing, or a request without an end, is closed.
func TestSlowClientsAreSentAway(t *testing.T) {
	t.Parallel()
	address, _ := serve(t)
	var all []net.Conn
	for i := range 40 {
		var c net.Conn
		var err error
		if i%2 == 0 {
			c, err = (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
		} else if c, err = tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}); err == nil {
			_, err = c.Write([]byte("GET " + queue + " HTTP/1.1\r\nX-Slow: "))
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for i, c := range all {
		_ = c.SetReadDeadline(time.Now().Add(12 * readTime))
		if _, err := io.Copy(io.Discard, c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("connection %d is kept", i)
		}
		_ = c.Close()
	}
}

// TestBodiesAreNotRead: a client that sends a body slowly does not keep a connection, which others of the API server's proxy need.
func TestBodiesAreNotRead(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(withoutBodies(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request with a body was answered") })))
	t.Cleanup(server.Close)
	for _, header := range []string{"Content-Length: 1000", "Transfer-Encoding: chunked"} {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Write([]byte("GET " + queue + " HTTP/1.1\r\nHost: explain\r\n" + header + "\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
		if answer, _ := io.ReadAll(c); len(answer) > 0 {
			t.Errorf("%s: answered with %s", header, answer)
		}
		_ = c.Close()
	}
}

// Each process has its own key.
func TestSelfSigned(t *testing.T) {
	t.Parallel()
	p := newPlace()
	first, err := selfSigned(p.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	second, err := selfSigned(p.clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(first.Certificate[0], second.Certificate[0]) {
		t.Error("two certificates are the same")
	}
}

func TestServerNeedsNoLeader(t *testing.T) {
	t.Parallel()
	if (&Server{}).NeedLeaderElection() {
		t.Error("a standby does not answer that it is one")
	}
}
