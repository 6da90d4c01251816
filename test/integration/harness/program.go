// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Program is the operator's program, compiled from this checkout.
type Program struct {
	// Path of the file.
	Path string
	// Namespace of the operator, where its leases are.
	Namespace string
	// Kubeconfig of the way to the API server; default that of an administrator.
	Kubeconfig string
}

// BuildProgram compiles the operator's program. Its leases have a namespace of their own.
func BuildProgram(t *testing.T) Program {
	t.Helper()
	p := Program{Path: filepath.Join(t.TempDir(), "sparkgate"), Namespace: env.Namespace(t)}
	command := exec.CommandContext(t.Context(), "go", "build", "-o", p.Path, "./cmd/sparkgate")
	command.Dir = env.Root()
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("compile the operator: %v\n%s", err, out)
	}
	return p
}

// Start starts the program. It does not outlive the test.
func (p Program) Start(t *testing.T, args ...string) *Process {
	t.Helper()
	s := &Process{ended: make(chan struct{})}
	s.command = exec.Command(p.Path, append([]string{"--metrics-addr=0", "--health-addr=0", "--explain-addr=0"}, args...)...)
	s.command.Env = append(os.Environ(), "KUBECONFIG="+cmp.Or(p.Kubeconfig, env.Cluster().Kubeconfig), "RUNTIME_NAMESPACE="+p.Namespace)
	s.command.Stdout, s.command.Stderr = s, s
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.command.Wait() // its log says more
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.Kill()
		if t.Failed() {
			t.Logf("log of process %d:\n%s", s.command.Process.Pid, s.Log())
		}
	})
	return s
}

// Process is one start of the operator's program.
type Process struct {
	command *exec.Cmd
	ended   chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// Kill ends the process at once: nothing is given back.
func (s *Process) Kill() {
	_ = s.command.Process.Kill() // gone already is as good
	<-s.ended
}

// Signal sends a signal to the process.
func (s *Process) Signal(t *testing.T, signal os.Signal) {
	t.Helper()
	if err := s.command.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
}

// Ended returns a channel that is closed when the process has ended.
func (s *Process) Ended() <-chan struct{} { return s.ended }

// ExitCode of a process that has ended.
func (s *Process) ExitCode() int { return s.command.ProcessState.ExitCode() }

// Write keeps the log.
func (s *Process) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(text)
}

// Log returns what the process has written.
func (s *Process) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}
