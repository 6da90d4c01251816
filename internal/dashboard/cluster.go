// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package dashboard

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"

	"github.com/sparkgate/sparkgate/internal/client"
	"github.com/sparkgate/sparkgate/internal/usage"
)

const (
	headerWithin = 10 * time.Second
	idleFor      = 2 * time.Minute
	// stopWithin is how long pages may take to load when the process stops.
	stopWithin = 3 * time.Second
)

// ClusterOptions of a server in a cluster, which has no rights and takes the token of each viewer.
type ClusterOptions struct {
	// APIServer is the address of the API server, CAFile the certificates that it is trusted by.
	APIServer, CAFile string
	// CertDir has tls.crt and tls.key, which are read again when they change. Empty: a certificate is created that no
	// browser trusts.
	CertDir string
	// Operator is the namespace of the operator.
	Operator string
	// Prices of usage for viewers who give none of their own; nil for no costs.
	Prices *usage.Prices
	// HistoryServer is asked for the measurements of runs that have ended. Default: none.
	HistoryServer string
}

// ServeCluster serves pages over TLS until ctx ends.
func ServeCluster(ctx context.Context, l net.Listener, o ClusterOptions) error {
	certificate, err := o.certificate(ctx)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	pages := New(ctx, Options{Clock: clock.RealClock{}, ForToken: o.forToken, Prices: o.Prices, HistoryServer: o.HistoryServer})
	server := &http.Server{
		Handler: pages.Handler(), ReadHeaderTimeout: headerWithin, IdleTimeout: idleFor,
		TLSConfig: &tls.Config{GetCertificate: certificate, MinVersion: tls.VersionTLS12},
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done() // streams end with it
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		stopped <- server.Shutdown(ending)
	}()
	if err := server.ServeTLS(l, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the dashboard: %w", err)
	}
	return <-stopped
}

// forToken returns the way to the cluster with the token of a viewer, and with nothing else.
func (o ClusterOptions) forToken(token string) (*client.Cluster, error) {
	config := &rest.Config{Host: o.APIServer, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAFile: o.CAFile}}
	return client.New(config, "", o.Operator)
}

// certificate returns how to get the server's certificate.
func (o ClusterOptions) certificate(ctx context.Context) (func(*tls.ClientHelloInfo) (*tls.Certificate, error), error) {
	if o.CertDir == "" {
		certificate, key, err := certutil.GenerateSelfSignedCertKey("sparkgate-dashboard", nil, []string{"localhost"})
		if err != nil {
			return nil, fmt.Errorf("create a certificate: %w", err)
		}
		pair, err := tls.X509KeyPair(certificate, key)
		return func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return &pair, nil }, err
	}
	watcher, err := certwatcher.New(filepath.Join(o.CertDir, "tls.crt"), filepath.Join(o.CertDir, "tls.key"))
	if err != nil {
		return nil, fmt.Errorf("read the certificate in %s: %w", o.CertDir, err)
	}
	go func() { _ = watcher.Start(ctx) }() // it ends with ctx; the last certificate stays in use
	return watcher.GetCertificate, nil
}
