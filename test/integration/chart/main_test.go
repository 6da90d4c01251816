// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package chart installs, upgrades and removes the Helm chart with Helm itself, and compares it with the kustomize bases.
package chart

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

const (
	release   = "sparkgate"
	namespace = "sparkgate-system"
)

func TestMain(m *testing.M) {
	code := env.MainWithoutCRDs(m)
	harness.RemovePrograms()
	os.Exit(code)
}

// chartFolder is where the chart lies.
func chartFolder() string { return filepath.Join(env.Root(), "config", "chart", "sparkgate") }

// helm runs Helm as an administrator, with folders of its own, and returns what it wrote to standard output. A failure is returned as an
// error with what it wrote to standard error.
func helm(t *testing.T, args ...string) (string, error) {
	t.Helper()
	program, err := systems.Program(env.Root(), "helm", "helm")
	if err != nil {
		t.Fatal(err)
	}
	return call(t, "", program, append([]string{"--namespace", namespace}, args...)...)
}

// must is for calls that have to succeed.
func must(t *testing.T) func(string, error) string {
	return func(out string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// call runs a program against the test's API server.
func call(t *testing.T, stdin, program string, args ...string) (string, error) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster().Kubeconfig, "HOME="+filepath.Dir(env.Cluster().Kubeconfig))
	command.Stdin = strings.NewReader(stdin)
	var out, failure bytes.Buffer
	command.Stdout, command.Stderr = &out, &failure
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.String(), nil
}

// write writes a file of the test and returns its path, in which no comma is: Helm would see two files.
func write(t *testing.T, name, content string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sparkgate-chart-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, name)
	writeTo(t, path, content)
	return path
}

func writeTo(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
