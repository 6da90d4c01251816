// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// resource is the full name of the kind: another operator may have one with the same plural.
const resource = "sparkapplications.sparkgate.io"

// kubectl runs the given program against one namespace.
type kubectl struct {
	program   string
	namespace string
}

func (k kubectl) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, k.program, append([]string{"--namespace", k.namespace}, args...)...)
}

// run returns what the command prints; its own words are the error.
func (k kubectl) run(ctx context.Context, args ...string) (string, error) {
	out, err := k.command(ctx, args...).Output()
	if err == nil {
		return string(out), nil
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return "", fmt.Errorf("kubectl %s: %s", strings.Join(args, " "), strings.TrimSpace(string(exit.Stderr)))
	}
	return "", fmt.Errorf("kubectl %s: %w", strings.Join(args, " "), err)
}

// watch sends every state of every application until ctx ends. A watch that breaks off is begun again.
func (k kubectl) watch(ctx context.Context, to chan<- application) {
	for ctx.Err() == nil {
		if err := k.watchOnce(ctx, to); err != nil {
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

func (k kubectl) watchOnce(ctx context.Context, to chan<- application) error {
	cmd := k.command(ctx, "get", resource, "--watch", "--output", "json")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	readErr := readApplications(ctx, out, to)
	return errors.Join(readErr, cmd.Wait())
}

// readApplications decodes one JSON object after the other.
func readApplications(ctx context.Context, in io.Reader, to chan<- application) error {
	decoder := json.NewDecoder(in)
	for {
		var a application
		if err := decoder.Decode(&a); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		select {
		case to <- a:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// names returns the applications that a manifest declares.
func (k kubectl) names(ctx context.Context, manifest string) ([]string, error) {
	out, err := k.run(ctx, "apply", "--dry-run=client", "--output", "jsonpath={.metadata.name}", "--filename", manifest)
	return strings.Fields(out), err
}
