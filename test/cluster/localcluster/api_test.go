// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReadyCondition(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body    string
		wantErr string
	}{
		"ready":         {`{"status":{"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True"}]}}`, ""},
		"not ready":     {`{"status":{"conditions":[{"type":"Ready","status":"False","message":"no network plugin"}]}}`, "no network plugin"},
		"unknown":       {`{"status":{"conditions":[{"type":"Ready","status":"Unknown","message":"kubelet is silent"}]}}`, "kubelet is silent"},
		"no conditions": {`{"status":{}}`, "no condition Ready yet"},
		"no JSON":       {`<html>`, "invalid character"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := readyCondition([]byte(tt.body))
			if tt.wantErr == "" && err != nil || tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Errorf("error = %v, want %q", err, tt.wantErr)
			}
		})
	}
}

func TestGet(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/well" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte("body"))
	}))
	t.Cleanup(server.Close)
	if body, err := get(t.Context(), server.Client(), server.URL+"/well"); err != nil || string(body) != "body" {
		t.Errorf("get = %q, %v", body, err)
	}
	if _, err := get(t.Context(), server.Client(), server.URL+"/ill"); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("error = %v, want the status", err)
	}
}

func TestEveryComponentHasAProbe(t *testing.T) {
	t.Parallel()
	probes := (&prober{}).probes()
	for _, name := range componentNames {
		// The holder has no port; the supervisor looks at its process.
		if _, ok := probes[name]; !ok && name != mountsHolder {
			t.Errorf("no probe for %s", name)
		}
	}
}
