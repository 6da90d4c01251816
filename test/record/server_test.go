// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func send(t *testing.T, server *Server, request Request) (int, map[string]any) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), request.Method, "http://"+server.Address()+request.Path+"?"+request.Query,
		strings.NewReader(string(request.Body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", request.ContentType)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatalf("answer %q: %v", text, err)
	}
	return response.StatusCode, body
}

func startServer(t *testing.T) *Server {
	t.Helper()
	server, err := StartServer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func TestServerAnswers(t *testing.T) {
	t.Parallel()
	metadata := func(name string) map[string]any {
		return map[string]any{"name": name, "uid": podUID, "resourceVersion": "1"}
	}
	tests := map[string]struct {
		request Request
		code    int
		want    map[string]any
	}{
		"a create is answered with a uid": {
			request: Request{Method: http.MethodPost, Path: "/api/v1/namespaces/n/pods", Body: []byte(`{"kind":"Pod","metadata":{"name":"p"}}`)},
			code:    http.StatusCreated,
			want:    map[string]any{"kind": "Pod", "metadata": metadata("p")},
		},
		"an apply may be YAML and gets its name from the path": {
			request: Request{Method: http.MethodPatch, Path: "/api/v1/namespaces/n/services/s", Body: []byte("kind: Service\n")},
			code:    http.StatusOK,
			want:    map[string]any{"kind": "Service", "metadata": metadata("s")},
		},
		"a read finds nothing": {
			request: Request{Method: http.MethodGet, Path: "/api/v1/namespaces/n/pods/p"},
			code:    http.StatusNotFound,
			want: map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound",
				"message": "/api/v1/namespaces/n/pods/p not found", "code": float64(http.StatusNotFound)},
		},
		"a deletion finds nothing": {
			request: Request{Method: http.MethodDelete, Path: "/x", Body: []byte(`{"kind":"DeleteOptions"}`)},
			code:    http.StatusNotFound,
			want: map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound",
				"message": "/x not found", "code": float64(http.StatusNotFound)},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, got := send(t, startServer(t), test.request)
			if code != test.code {
				t.Errorf("code %d, want %d", code, test.code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestServerRemembers(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	want := []Request{
		{Method: http.MethodPost, Path: "/pods", Query: "a=b", ContentType: "application/json", Text: []byte(`{"kind":"Pod"}`), Body: []byte(`{"kind":"Pod"}`)},
		{Method: http.MethodGet, Path: "/pods/p", Query: "watch=true"},
		{
			Method: http.MethodPatch, Path: "/services/s", Query: "fieldManager=f&force=true", ContentType: "application/apply-patch+yaml",
			Text: []byte(`{"kind":"Service"}`), Body: []byte(`{"kind":"Service"}`),
		},
	}
	for _, request := range want {
		send(t, server, request)
	}
	got, err := server.Take()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if again, err := server.Take(); err != nil || len(again) != 0 {
		t.Errorf("requests after they were taken: %v, error %v", again, err)
	}
}

func TestServerReportsUnreadableBody(t *testing.T) {
	t.Parallel()
	server := startServer(t)
	code, _ := send(t, server, Request{Method: http.MethodPost, Path: "/pods", Body: []byte("{")})
	if code != http.StatusNotFound {
		t.Errorf("code %d, want %d", code, http.StatusNotFound)
	}
	if _, err := server.Take(); err == nil || !strings.Contains(err.Error(), "POST /pods") {
		t.Errorf("error %v, want one about POST /pods", err)
	}
	if _, err := server.Take(); err != nil {
		t.Errorf("the error came twice: %v", err)
	}
}
