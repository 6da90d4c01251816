// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestBrowserIsNotToldTheSecret: other users of the machine see what a browser is started with; it leads to the page once.
func TestBrowserIsNotToldTheSecret(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("browsers are started in another way")
	}
	folder := t.TempDir()
	told := filepath.Join(folder, "told")
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$1\" > "+told+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	_, kubeconfig := startAPIServer(t, "mine", nil)
	f := dashboardFlags{open: true}
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.cluster.AddFlags(flags)
	if err := flags.Parse([]string{"--kubeconfig", kubeconfig}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx, streams{in: strings.NewReader(""), out: in, err: io.Discard}) }()
	printed, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	printed = strings.TrimSpace(printed)
	if response, err := http.Get(printed + "static/page.css"); err != nil || response.Body.Close() != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("the printed address: %v, %v", response, err) // and the browser was started before it was answered
	}
	opened, err := os.ReadFile(told)
	if err != nil || len(opened) == 0 || strings.HasPrefix(string(opened), printed) {
		t.Fatalf("the browser was started with %q (%v), and %q was printed", opened, err, printed)
	}
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, want := range []int{http.StatusSeeOther, http.StatusNotFound} {
		response, err := stay.Get(string(opened))
		if err != nil {
			t.Fatal(err)
		}
		if _ = response.Body.Close(); response.StatusCode != want || want == http.StatusSeeOther && !strings.HasSuffix(printed, response.Header.Get("Location")) {
			t.Errorf("what the browser was started with answers %d and %q, want %d", response.StatusCode, response.Header.Get("Location"), want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
