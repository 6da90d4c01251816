// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package queues

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/sparkgate/sparkgate/cmd/sparkctl/internal/cli"
)

// fakeBrowser replaces the browser, and returns the file to which it writes the address.
func fakeBrowser(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	address := filepath.Join(folder, "address")
	if err := os.WriteFile(filepath.Join(folder, "xdg-open"), []byte("#!/bin/sh\nprintf %s \"$1\" > "+address+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder)
	return address
}

// answerOf returns the status of a response and the target of a redirect.
func answerOf(t *testing.T, address string) string {
	t.Helper()
	stay := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := stay.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.Status + " to " + response.Header.Get("Location")
}

// TestBrowserIsNotToldTheSecret: other users of the machine can see the browser's arguments, so the address in them
// works only once.
func TestBrowserIsNotToldTheSecret(t *testing.T) {
	told := fakeBrowser(t)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	const text = `{kind: Config, apiVersion: v1, current-context: test, clusters: [{name: test, cluster: {server: "https://127.0.0.1:1"}}],
users: [{name: test}], contexts: [{name: test, context: {cluster: test, user: test}}]}`
	if err := os.WriteFile(kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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
	go func() { ended <- f.run(ctx, cli.Streams{In: strings.NewReader(""), Out: in, Err: io.Discard}) }()
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
	secret := strings.SplitAfter(printed, "/")[3]
	for _, want := range []string{"303 See Other to /" + secret, "404 Not Found to "} {
		if got := answerOf(t, string(opened)); got != want {
			t.Errorf("what the browser was started with answers %q, want %q", got, want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
