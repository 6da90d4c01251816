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
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/sparkgate/sparkgate/internal/base/connlimit"
	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/client"
)

const (
	headerWithin = 10 * time.Second
	idleFor      = 2 * time.Minute
	// writeWithin is how long a viewer may take to read a page. Streams set another deadline with each update.
	writeWithin = 30 * time.Second
	// Limits of open connections, each of which needs some 25 KiB. All viewers may come from the address of one proxy.
	maxConnections           = 2048
	maxConnectionsPerAddress = 1024
	// stopWithin is how long requests may take to finish when the process stops.
	stopWithin = 3 * time.Second
)

// ClusterOptions are the options of a server in a cluster. It has no rights of its own and uses the token of each
// viewer.
type ClusterOptions struct {
	// APIServer is the address of the API server, CAFile its CA certificates.
	APIServer, CAFile string
	// CertDir contains tls.crt and tls.key, which are read again when they change. If it is empty, and until it contains
	// a certificate, a self-signed one is used, which no browser trusts.
	CertDir string
	// Operator is the namespace of the operator.
	Operator string
	// Prices are used for viewers who give no prices of their own; nil for no costs.
	Prices *usage.Prices
	// HistoryServer is where measurements of runs that have ended are read. Default: none.
	HistoryServer string
}

// ServeCluster serves pages over TLS until ctx ends.
func ServeCluster(ctx context.Context, l net.Listener, o ClusterOptions) error {
	certificate, err := certificateIn(ctx, o.CertDir, clock.RealClock{})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	pages := New(ctx, Options{Clock: clock.RealClock{}, ForToken: o.forToken, Prices: o.Prices, HistoryServer: o.HistoryServer})
	server := &http.Server{
		Handler: pages.Handler(), ReadHeaderTimeout: headerWithin, IdleTimeout: idleFor, WriteTimeout: writeWithin,
		TLSConfig: &tls.Config{GetCertificate: certificate, MinVersion: tls.VersionTLS12},
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done() // streams also end then
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
		defer cancel()
		stopped <- server.Shutdown(ending)
	}()
	if err := server.ServeTLS(connlimit.Limited(l, maxConnections, maxConnectionsPerAddress), "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the dashboard: %w", err)
	}
	return <-stopped
}

// forToken returns a client that uses only the token of the viewer.
func (o ClusterOptions) forToken(token string) (*client.Cluster, error) {
	config := &rest.Config{Host: o.APIServer, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAFile: o.CAFile}}
	return client.New(config, "", o.Operator)
}
