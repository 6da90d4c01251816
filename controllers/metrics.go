// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"crypto/tls"
	"fmt"
	"net/http"

	"github.com/go-logr/logr"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sparkgate/sparkgate/controllers/explainserver"
)

// MetricsOptions returns the options of the metrics endpoint. If secure, it is served over TLS, with tls.crt and
// tls.key from the directory certificates, or with a self-signed certificate if that is empty, and only to users whose
// token allows them to get the path (RBAC: nonResourceURLs).
func MetricsOptions(address string, secure bool, certificates string) metricsserver.Options {
	o := metricsserver.Options{BindAddress: address}
	if secure {
		o.SecureServing, o.CertDir, o.FilterProvider = true, certificates, protectMetrics
		o.TLSOpts = []func(*tls.Config){func(c *tls.Config) { c.MinVersion, c.NextProtos = tls.VersionTLS13, []string{"http/1.1"} }}
	}
	return o
}

// protectMetrics returns a filter that asks the API server to authenticate and authorize each request.
func protectMetrics(config *rest.Config, transport *http.Client) (metricsserver.Filter, error) {
	c, err := client.New(config, client.Options{HTTPClient: transport, Scheme: clientgoscheme.Scheme})
	if err != nil {
		return nil, fmt.Errorf("create client for the metrics endpoint: %w", err)
	}
	return func(log logr.Logger, next http.Handler) (http.Handler, error) {
		return explainserver.Protect(next, explainserver.APIServer{Client: c}, clock.RealClock{}, log), nil
	}, nil
}
