// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
)

// Kubectl runs kubectl in the namespace and returns its standard output. It has to succeed.
func (s *Namespace) Kubectl(args ...string) string {
	s.t.Helper()
	out, err := s.TryKubectl("", args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

// TryKubectl runs kubectl with a standard input. If the command fails, the error contains its standard error.
func (s *Namespace) TryKubectl(stdin string, args ...string) (string, error) {
	return kubectl(s.t.Context(), stdin, append([]string{"--namespace", s.Name}, args...)...)
}

// Background is a kubectl that runs while the test continues.
type Background struct {
	namespace *Namespace
	args      []string
	done      chan error
}

// KubectlBackground starts kubectl in the namespace.
func (s *Namespace) KubectlBackground(args ...string) *Background {
	b := &Background{namespace: s, args: args, done: make(chan error, 1)}
	go func() {
		_, err := s.TryKubectl("", args...)
		b.done <- err
	}()
	return b
}

// Succeeds waits until the command has ended and expects exit code 0.
func (b *Background) Succeeds() {
	b.namespace.t.Helper()
	if err := <-b.done; err != nil {
		b.namespace.t.Fatal(err)
	}
}

// Running reports whether the command has not ended yet.
func (b *Background) Running() bool { return len(b.done) == 0 }

// Apply applies objects with kubectl, as a user does. It marks queues as belonging to the namespace.
func (s *Namespace) Apply(objects ...client.Object) {
	s.t.Helper()
	var manifests []string
	for _, obj := range objects {
		manifests = append(manifests, s.Manifest(obj))
	}
	s.ApplyText(strings.Join(manifests, "---\n"))
}

// ApplyText applies a manifest with kubectl.
func (s *Namespace) ApplyText(manifest string) {
	s.t.Helper()
	if _, err := s.TryKubectl(manifest, "apply", "--filename", "-"); err != nil {
		s.t.Fatal(err)
	}
}

// ApplyAs applies a manifest server-side as a field manager, like Flux.
func (s *Namespace) ApplyAs(manager, manifest string) {
	s.t.Helper()
	if _, err := s.TryKubectl(manifest, "apply", "--server-side", "--field-manager", manager, "--filename", "-"); err != nil {
		s.t.Fatal(err)
	}
}

// Manifest returns the YAML of an object as a user writes it: without status.
func (s *Namespace) Manifest(obj client.Object) string {
	s.t.Helper()
	if queue, ok := obj.(*v1alpha1.SparkQueue); ok {
		queue.Labels = map[string]string{namespaceLabel: s.Name}
	}
	gvk, err := cluster.client.GroupVersionKindFor(obj)
	if err != nil {
		s.t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		s.t.Fatal(err)
	}
	delete(fields, "status")
	text, err := yaml.Marshal(fields)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// Sparkctl runs sparkctl and returns its standard output. It has to succeed.
func (s *Namespace) Sparkctl(args ...string) string {
	s.t.Helper()
	binary := os.Getenv("SPARKGATE_CTL")
	if binary == "" {
		s.t.Fatal("SPARKGATE_CTL does not name the program sparkctl: run `make e2e`")
	}
	out, err := run(s.t.Context(), "", binary, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	return run(ctx, stdin, "kubectl", args...)
}

// run runs a program. If it fails, the error contains its standard error.
func run(ctx context.Context, stdin, program string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Stdin = strings.NewReader(stdin)
	var out, failure bytes.Buffer
	command.Stdout, command.Stderr = &out, &failure
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w: %s", filepath.Base(program), strings.Join(args, " "), err, strings.TrimSpace(failure.String()))
	}
	return out.String(), nil
}
