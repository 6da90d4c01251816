// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package dashboard implements the operator's subcommand dashboard, which serves the web page in the cluster. It runs
// as a process of its own, without any permissions: it uses the tokens of its users.
package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/spf13/pflag"

	"github.com/sparkgate/sparkgate/internal/job/usage"
	"github.com/sparkgate/sparkgate/internal/tools/dashboard"
)

// Run parses the flags and serves until ctx ends.
func Run(ctx context.Context, args []string) error {
	var o dashboard.ClusterOptions
	flags := pflag.NewFlagSet("sparkgate dashboard", pflag.ContinueOnError)
	address := flags.String("addr", ":8443", "the address to listen at")
	flags.StringVar(&o.CertDir, "tls-cert-dir", "", "the folder of tls.crt and tls.key; without them, a certificate that no browser trusts")
	flags.StringVar(&o.APIServer, "api-server", inCluster(), "the address of the API server")
	flags.StringVar(&o.CAFile, "api-server-ca", "", "a file with the certificates by which the API server is trusted")
	flags.StringVar(&o.Operator, "operator-namespace", "sparkgate-system", "the namespace in which the operator is installed")
	flags.StringVar(&o.HistoryServer, "history-server-url", "", "the address of the Spark history server, which is asked for measurements of runs that have ended")
	priceList := flags.String("prices", "", "a file with prices of an hour, for costs of usage")
	err := flags.Parse(args)
	if err == nil && *priceList != "" {
		o.Prices, err = pricesIn(*priceList)
	}
	if err != nil {
		return err
	}
	// The library logs errors in reading a renewed certificate, and reports them nowhere else.
	logger.SetLogger(logger.NewLogger(logger.Options{LogLevel: "info", LogEncoding: "json"}))
	if o.APIServer == "" {
		return errors.New("--api-server is empty, and this is not a pod: set it to the address of the API server")
	}
	if flags.Changed("tls-cert-dir") && !dashboard.HasCertificate(o.CertDir) {
		fmt.Fprintf(os.Stderr, "sparkgate dashboard: --tls-cert-dir %s has no tls.crt: browsers will warn of the certificate that is used until it has\n", o.CertDir)
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return fmt.Errorf("open --addr: %w", err)
	}
	return dashboard.ServeCluster(ctx, listener, o)
}

// pricesIn reads a price list.
func pricesIn(file string) (*usage.Prices, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--prices: %w", err)
	}
	prices, err := usage.ParsePrices(text)
	if err != nil {
		return nil, fmt.Errorf("--prices %s: %w", file, err)
	}
	return prices, nil
}

// inCluster returns the address of the API server in a pod, or "" elsewhere.
func inCluster() string {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return ""
	}
	return "https://" + net.JoinHostPort(host, port)
}
