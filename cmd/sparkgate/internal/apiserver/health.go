// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/healthz"
)

// Alive answers the kubelet's probes at an address until stop is called, which frees the address. The process is alive,
// so that it is not restarted while it waits, but not ready, so that a rolling update does not continue. It answers with
// the error of why, if that returns one.
func Alive(address string, why healthz.Checker) (stop func(), err error) {
	if address == "" || address == "0" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("open --health-addr: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/healthz", healthz.CheckHandler{Checker: healthz.Ping})
	mux.HandleFunc("/readyz", func(w http.ResponseWriter, r *http.Request) {
		reason := "waiting for the API server or the operator's CustomResourceDefinitions"
		if err := why(r); err != nil {
			reason = err.Error()
		}
		http.Error(w, reason, http.StatusServiceUnavailable)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // it returns only after Shutdown or Close
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // a probe that is still being answered is aborted
		}
	}, nil
}
