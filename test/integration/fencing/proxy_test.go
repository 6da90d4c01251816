// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fencing

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// openProxy opens a proxy of the API server for a process: plain HTTP on this machine's loopback, with an
// administrator's rights behind it. It passes everything on unchanged, except for the faults of network. look is called
// for every request.
func openProxy(t *testing.T, network *harness.Network, look func(*http.Request)) *httptest.Server {
	t.Helper()
	config := env.Config()
	config.Wrap(network.Wrap)
	transport, err := rest.TransportFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(config.Host)
	if err != nil {
		t.Fatal(err)
	}
	return httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			keepBody(r.Out)
			look(r.Out)
		},
		Transport:     transport,
		FlushInterval: -1,                         // events of watches go out at once
		ErrorLog:      log.New(io.Discard, "", 0), // processes come and go
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	})
}

// keepBody allows the body of a request to be read more than once.
func keepBody(r *http.Request) {
	if r.Body == nil || r.Method == http.MethodGet {
		return
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the process has ended
	}
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }
	r.Body, _ = r.GetBody()
	r.ContentLength = int64(len(raw))
}

// moments are moments in the life of an application: the write that the leader is about to send.
var moments = map[string]func(*http.Request) bool{
	"ledger":     func(r *http.Request) bool { return isPatch(r, "/sparkqueues/", `"entries":"{`) },
	"finalizer":  func(r *http.Request) bool { return isPatch(r, "/sparkapplications/", `"finalizers"`) },
	"grant":      func(r *http.Request) bool { return isPatch(r, "/sparkapplications/", `"grant":{`) },
	"config map": func(r *http.Request) bool { return isPost(r, "/configmaps") },
	"driver":     func(r *http.Request) bool { return isPost(r, "/pods") },
	"end":        func(r *http.Request) bool { return isPatch(r, "/sparkapplications/", `"grant":null`) },
}

func isPost(r *http.Request, suffix string) bool {
	return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, suffix)
}

// emptiesLease reports whether a write releases a lease, whichever process holds it.
func emptiesLease(r *http.Request) bool {
	if r.Method != http.MethodPut || !strings.Contains(r.URL.Path, "/leases/") {
		return false
	}
	obj, _, err := scheme.Codecs.UniversalDeserializer().Decode(bodyOf(r), nil, nil)
	lease, ok := obj.(*coordinationv1.Lease)
	// What cannot be read counts: better a test that fails than one that sees nothing.
	return err != nil || !ok || ptr.Deref(lease.Spec.HolderIdentity, "") == ""
}

func isPatch(r *http.Request, path, content string) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.URL.Path, path) && bytes.Contains(bodyOf(r), []byte(content))
}

// bodyOf returns the body of a write; nil if it has none.
func bodyOf(r *http.Request) []byte {
	if r.GetBody == nil {
		return nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil
	}
	raw, err := io.ReadAll(body)
	if err != nil {
		return nil
	}
	return raw
}
