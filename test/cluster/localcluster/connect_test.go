// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"strings"
	"testing"
)

func TestRelay(t *testing.T) {
	t.Parallel()
	server, front := listen(t), listen(t)
	go func() {
		for {
			connection, err := server.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				all, _ := io.ReadAll(connection) // to the end that the client gives
				_, _ = connection.Write(bytes.ToUpper(all))
			}()
		}
	}()
	ended := make(chan error, 1)
	go func() { ended <- relay(front, server.Addr().String()) }()

	for _, text := range []string{"one", strings.Repeat("many ", 100_000)} {
		client, err := net.Dial("tcp", front.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			_, _ = io.WriteString(client, text)
			_ = client.(*net.TCPConn).CloseWrite()
		}()
		answer, err := io.ReadAll(client)
		if err != nil || string(answer) != strings.ToUpper(text) {
			t.Errorf("answer to %d bytes: %d bytes, error %v", len(text), len(answer), err)
		}
		client.Close()
	}

	server.Close()
	client, err := net.Dial("tcp", front.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	if answer, _ := io.ReadAll(client); len(answer) > 0 {
		t.Errorf("answer of an API server that is gone: %q", answer)
	}
	front.Close()
	if err := <-ended; err == nil {
		t.Error("the relay did not end with its listener")
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

func TestRelayedKubeconfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := createPKI(dir+"/pki", now()); err != nil {
		t.Fatal(err)
	}
	content, err := kubeconfigFor(dir+"/pki", "admin")
	if err != nil {
		t.Fatal(err)
	}
	got := string(withServer(content, "127.0.0.1:1234"))
	if !strings.Contains(got, `"server": "https://127.0.0.1:1234"`) || strings.Contains(got, nodeIP) {
		t.Errorf("kubeconfig of the relay:\n%s", got)
	}
}

func TestCommandsExitStatus(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -TERM $$": 143} {
		got, err := runCommand(os.Environ(), []string{"sh", "-c", script})
		if err != nil || got != want {
			t.Errorf("%s: status %d, error %v, want %d", script, got, err, want)
		}
	}
	if _, err := runCommand(nil, []string{"/nonexistent"}); err == nil {
		t.Error("a program that does not exist: no error")
	}
}

func TestCommandsThatListen(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"get pods":                      false,
		"port-forward pod/a 4040":       true,
		"-n default port-forward pod/a": true,
		"proxy":                         true,
	} {
		if got := listens(strings.Fields(line)); got != want {
			t.Errorf("kubectl %s: listens is %t", line, got)
		}
	}
}
