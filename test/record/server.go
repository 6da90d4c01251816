// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"sigs.k8s.io/yaml"
)

// podUID is the uid that the fake API server gives to every object.
const podUID = "11111111-1111-1111-1111-111111111111"

// Request is one request of the client under recording.
type Request struct {
	Method string
	Path   string
	// Query is the raw query, without the question mark.
	Query       string
	ContentType string
	// Text is the body as it was sent.
	Text []byte
	// Body is the body as JSON; nil when there was none.
	Body json.RawMessage
}

// Server is an API server that remembers what it is sent and stores nothing.
// A create is answered by the object with a uid, and so is an apply; anything
// else is answered as not found. Its methods may be called concurrently.
type Server struct {
	listener net.Listener
	http     *http.Server
	mu       sync.Mutex
	requests []Request
	broken   []error
}

// StartServer listens on a free port of the loopback interface. Close ends it.
func StartServer() (*Server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open a port on the loopback interface: %w", err)
	}
	s := &Server{listener: listener}
	s.http = &http.Server{Handler: s}
	go func() { _ = s.http.Serve(listener) }()
	return s, nil
}

// Address is host:port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the server and every connection.
func (s *Server) Close() { _ = s.http.Close() }

// Take returns the requests since the last call, in order, and forgets them.
// The error is about a request that could not be read.
func (s *Server) Take() ([]Request, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, broken := s.requests, s.broken
	s.requests, s.broken = nil, nil
	if len(broken) > 0 {
		return nil, broken[0]
	}
	return requests, nil
}

// ServeHTTP records the request and answers it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, err := readRequest(r)
	s.mu.Lock()
	s.requests = append(s.requests, request)
	if err != nil {
		s.broken = append(s.broken, fmt.Errorf("%s %s: %w", r.Method, r.URL.Path, err))
	}
	s.mu.Unlock()
	if err != nil || request.Body == nil || (r.Method != http.MethodPost && r.Method != http.MethodPatch) {
		answer(w, http.StatusNotFound, notFound(r.URL.Path))
		return
	}
	code := http.StatusOK
	if r.Method == http.MethodPost {
		code = http.StatusCreated
	}
	answer(w, code, withUID(request))
}

func readRequest(r *http.Request) (Request, error) {
	request := Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, ContentType: r.Header.Get("Content-Type")}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return request, fmt.Errorf("read the body: %w", err)
	}
	if len(body) == 0 {
		return request, nil
	}
	request.Text = body
	// An apply may be YAML; JSON is YAML too.
	if request.Body, err = yaml.YAMLToJSON(body); err != nil {
		return request, fmt.Errorf("read the body: %w", err)
	}
	return request, nil
}

// withUID returns the object of a request as an API server would return it.
func withUID(request Request) any {
	var object map[string]any
	if err := json.Unmarshal(request.Body, &object); err != nil {
		return notFound(request.Path)
	}
	metadata, _ := object["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	metadata["uid"] = podUID
	metadata["resourceVersion"] = "1"
	if _, named := metadata["name"]; !named && request.Method == http.MethodPatch {
		metadata["name"] = request.Path[strings.LastIndex(request.Path, "/")+1:]
	}
	return object
}

func notFound(path string) any {
	return map[string]any{
		"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": "NotFound",
		"message": path + " not found", "code": http.StatusNotFound,
	}
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}
