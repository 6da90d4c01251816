// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package explainserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"time"

	"github.com/go-logr/logr"

	"github.com/sparkgate/sparkgate/internal/base/connlimit"
)

const (
	// readTime and writeTime bound one request, and idleTime a connection without one.
	readTime  = 5 * time.Second
	writeTime = 15 * time.Second
	idleTime  = time.Minute
	// stopTime is how long requests may take to finish when the process stops.
	stopTime = 3 * time.Second
	// maxHeader bounds the headers of a request, in bytes; a token may have several kilobytes.
	maxHeader = 64 << 10
	// Limits of open connections. All clients that use the API server's proxy have one address.
	maxConnections           = 512
	maxConnectionsPerAddress = 128
	// validity is the validity of the certificate: longer than any process lives.
	validity = 10 * 365 * 24 * time.Hour
)

// Server serves explanations on a listener, on every replica; replicas that do not decide answer so. It is a
// manager.Runnable.
type Server struct {
	listener net.Listener
	handler  http.Handler
	options  Options
}

// NewServer returns a server, which takes ownership of the listener.
func NewServer(l net.Listener, o Options) *Server {
	return &Server{listener: connlimit.Limited(l, maxConnections, maxConnectionsPerAddress), handler: withoutBodies(NewHandler(o)), options: o}
}

// withoutBodies closes the connection of a request with a body, which explanations do not need: while a client sends one,
// the connection would stay open, and all clients of the API server's proxy share its connections.
func withoutBodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		connection, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler) // it is not HTTP/1
		}
		_ = connection.Close()
	})
}

// NeedLeaderElection returns false: every replica serves.
func (s *Server) NeedLeaderElection() bool { return false }

// Start serves until ctx ends.
func (s *Server) Start(ctx context.Context) error {
	certificate, err := selfSigned(s.options.Clock.Now())
	if err != nil {
		return errors.Join(fmt.Errorf("create certificate: %w", err), s.listener.Close())
	}
	server := &http.Server{
		Handler:           s.handler,
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13},
		ReadHeaderTimeout: readTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       slog.NewLogLogger(logr.ToSlogHandler(s.options.Log.V(1)), slog.LevelInfo),
		BaseContext:    func(net.Listener) context.Context { return ctx },
		Protocols:      &http.Protocols{},
	}
	server.Protocols.SetHTTP1(true) // HTTP/1 only: one request at a time on each connection
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		stopped <- server.Shutdown(last)
	}()
	s.options.Log.Info("Serving explanations", "address", s.listener.Addr().String())
	if err := server.ServeTLS(s.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve explanations: %w", err)
	}
	return <-stopped
}

// selfSigned creates a key and a self-signed certificate for it.
func selfSigned(now time.Time) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "sparkgate-explain"}, DNSNames: []string{"sparkgate-explain"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(validity),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
