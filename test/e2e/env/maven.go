// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build slow

package env

import (
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// Jars returns the folder of the jars that hack/suite has fetched from Maven Central, in the layout of a Maven repository.
func Jars(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("SPARKGATE_MAVEN")
	if folder == "" {
		t.Fatal("SPARKGATE_MAVEN does not name the folder of the jars: see hack/suite for the target of make that sets it")
	}
	return folder
}

// MavenCentral serves the jars where pods reach them, because they have no way out of the local cluster, and returns the address.
func MavenCentral(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(NodeAddress(t), "0"))
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.FileServer(http.Dir(Jars(t))), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String() + "/"
}
