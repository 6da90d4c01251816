// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestCompileProgress(t *testing.T) {
	t.Parallel()
	p := &compileProgress{}
	lines := map[string]string{
		"go: downloading k8s.io/api v0.36.4": "resolving modules: 1 downloaded",
		"":                                   "resolving modules: 1 downloaded",
	}
	for _, line := range []string{"go: downloading k8s.io/api v0.36.4", ""} {
		p.add(line)
		if got := p.line(); got != lines[line] {
			t.Errorf("after %q: %q, want %q", line, got, lines[line])
		}
	}
	p.total = 3
	if got, want := p.line(), "checking 3 packages against the build cache, or linking"; got != want {
		t.Errorf("line = %q, want %q", got, want)
	}
	p.add("k8s.io/api/core/v1")
	if got, want := p.line(), "compiling: 1 packages so far, 3 in all less those already in the build cache"; got != want {
		t.Errorf("line = %q, want %q", got, want)
	}
}

func TestCompileProgressErrorHoldsTheMessages(t *testing.T) {
	t.Parallel()
	p := &compileProgress{}
	command := exec.Command("sh", "-c", "echo some/package; echo 'x.go:1: undefined: y' >&2; exit 3")
	err := p.run(newReporter(io.Discard, time.Time{}), command)
	if err == nil || !strings.Contains(err.Error(), "undefined: y") || strings.Contains(err.Error(), "some/package") {
		t.Errorf("error = %v, want the message and not the package", err)
	}
	if p.packages != 1 {
		t.Errorf("counted %d packages, want 1", p.packages)
	}
}

func TestCompileProgressKeepsTheLastMessages(t *testing.T) {
	t.Parallel()
	p := &compileProgress{}
	for range errorLines + 5 {
		p.add("a message")
	}
	p.add("the last one")
	if len(p.messages) != errorLines || p.messages[errorLines-1] != "the last one" {
		t.Errorf("%d messages, last %q", len(p.messages), p.messages[len(p.messages)-1])
	}
}
