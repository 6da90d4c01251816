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

	"k8s.io/client-go/tools/clientcmd"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Program is the operator's program, compiled from this checkout.
type Program struct {
	// Path is the program's file.
	Path string
	// Namespace is the operator's namespace, where its leases are.
	Namespace string
	// Kubeconfig is the access to the API server. Default: an administrator's.
	Kubeconfig string
}

// BuildProgram compiles the operator's program. Its leases are in a new namespace.
func BuildProgram(t *testing.T) Program {
	t.Helper()
	return Program{Path: Compile(t, "sparkgate"), Namespace: env.Namespace(t)}
}

// programs are the commands that the tests of this process have compiled: linking one takes several seconds of both
// cores.
var programs struct {
	sync.Mutex
	folder   string
	compiled map[string]bool
}

// Compile builds a command of this checkout, unless another test of the process has done so, and returns its path. The
// file is deleted when the process ends.
func Compile(t *testing.T, command string) string {
	t.Helper()
	programs.Lock()
	defer programs.Unlock()
	if programs.folder == "" {
		folder, err := os.MkdirTemp("", "sparkgate-programs-")
		if err != nil {
			t.Fatal(err)
		}
		programs.folder, programs.compiled = folder, map[string]bool{}
	}
	path := filepath.Join(programs.folder, command)
	if programs.compiled[command] {
		return path
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/"+command)
	build.Dir = env.Root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", command, err, out)
	}
	programs.compiled[command] = true
	return path
}

// RemovePrograms removes what Compile has built. Main and MainAudited call it.
func RemovePrograms() {
	programs.Lock()
	defer programs.Unlock()
	if programs.folder != "" {
		// The folder is a temporary one.
		_ = os.RemoveAll(programs.folder)
	}
}

// As returns the program with the rights of a service account, which the API server has to know already.
func (p Program) As(t *testing.T, account string) Program {
	t.Helper()
	config, err := clientcmd.LoadFromFile(cmp.Or(p.Kubeconfig, env.Cluster().Kubeconfig))
	if err != nil {
		t.Fatal(err)
	}
	for _, user := range config.AuthInfos {
		user.Impersonate, user.ImpersonateGroups = account, []string{"system:serviceaccounts", "system:authenticated"}
	}
	p.Kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, p.Kubeconfig); err != nil {
		t.Fatal(err)
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
		// The log says more about the end.
		_ = s.command.Wait()
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

// Process is one running instance of the operator's program.
type Process struct {
	command *exec.Cmd
	ended   chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// Kill ends the process at once, so that it releases nothing.
func (s *Process) Kill() {
	// An error means that it has ended already.
	_ = s.command.Process.Kill()
	<-s.ended
}

// Signal sends a signal to the process.
func (s *Process) Signal(signal os.Signal) error { return s.command.Process.Signal(signal) }

// Ended returns a channel that is closed when the process has ended.
func (s *Process) Ended() <-chan struct{} { return s.ended }

// Pid returns the number of the process.
func (s *Process) Pid() int { return s.command.Process.Pid }

// ExitCode returns the exit code of a process that has ended.
func (s *Process) ExitCode() int { return s.command.ProcessState.ExitCode() }

// Write appends to the log.
func (s *Process) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(text)
}

// Log returns the output of the process.
func (s *Process) Log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}
