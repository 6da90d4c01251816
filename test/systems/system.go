// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// patience is how long an expected event may take. It matters only if the event does not occur; the machine may be
	// busy.
	patience = 4 * time.Minute
	interval = 50 * time.Millisecond
)

// System is third-party software beside an API server: a batch scheduler, Flux, Argo CD or an object store. It is not
// safe for concurrent use, except through Shared. An API server may have only one of each kind but object stores.
type System struct {
	name     string
	client   client.Client
	build    string // folder of programs and manifests
	folder   string // its own: configuration, certificates, logs
	crds     []*unstructured.Unstructured
	objects  []*unstructured.Unstructured // applied after the CRDs, before the programs start; in this order
	programs []*process
	// ready returns nil once the system does its work.
	ready func(context.Context) error
	// uninstall removes whatever is neither a CRD nor in objects. It may be nil.
	uninstall func(context.Context) error
	// closers end what runs in this process.
	closers []func()
}

// newSystem prepares what all systems have in common. The caller has to close the system.
func newSystem(name string, cluster Cluster) (*System, error) {
	build, err := findBuild(cluster.Root, name)
	if err != nil {
		return nil, err
	}
	api, err := client.New(cluster.Config, client.Options{})
	if err != nil {
		return nil, fmt.Errorf("create client: %w", err)
	}
	folder, err := os.MkdirTemp("", "sparkgate-"+name+"-")
	return &System{name: name, client: api, build: build, folder: folder}, err
}

// Start installs the missing parts of the system, starts its programs, and waits until it works.
func (s *System) Start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.install(ctx); err != nil {
		return fmt.Errorf("install %s: %w", s.name, err)
	}
	for _, p := range s.programs {
		if err := p.start(); err != nil {
			return errors.Join(err, s.Stop())
		}
	}
	if err := s.await(ctx); err != nil {
		return errors.Join(fmt.Errorf("%s does not become ready: %w\n%s", s.name, err, s.Logs()), s.Stop())
	}
	return nil
}

// await waits until the system is ready. It fails if one of its programs ends.
func (s *System) await(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextCancel(ctx, interval, true, func(ctx context.Context) (bool, error) {
		for _, p := range s.programs {
			if err := p.check(); err != nil {
				return false, err
			}
		}
		last = s.ready(ctx)
		return last == nil, nil
	})
	if wait.Interrupted(err) {
		return errors.Join(last, err)
	}
	return err
}

// Stop asks the programs to end and waits until they have. What is installed stays, including webhooks, which then
// refuse the objects that they should check, as on any cluster whose scheduler is down. It may be called again.
func (s *System) Stop() error { return s.end(syscall.SIGTERM) }

// Kill ends the programs at once, and waits until they are gone.
func (s *System) Kill() error { return s.end(syscall.SIGKILL) }

func (s *System) end(signal syscall.Signal) error {
	var all []error
	for _, p := range s.programs {
		all = append(all, p.end(signal))
	}
	return errors.Join(all...)
}

// Uninstall stops the system and removes its webhooks and CRDs, with all their objects, whatever finalizers these have.
// Start installs it again.
func (s *System) Uninstall(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := s.Stop(); err != nil {
		return err
	}
	if err := s.remove(ctx); err != nil {
		return fmt.Errorf("uninstall %s: %w", s.name, err)
	}
	return nil
}

// Close stops the system and deletes its certificates and logs. What is installed stays.
func (s *System) Close() error {
	err := s.Stop()
	for _, end := range s.closers {
		end()
	}
	return errors.Join(err, os.RemoveAll(s.folder))
}

// Logs returns the end of each program's output.
func (s *System) Logs() string {
	var text strings.Builder
	for _, p := range s.programs {
		fmt.Fprintf(&text, "--- the end of the log of %s:\n%s\n", p.name(), p.tail())
	}
	return text.String()
}

// begin starts the system for a test. It is closed at the end of the test.
func (s *System) begin(t testing.TB) *System {
	t.Helper()
	t.Cleanup(func() {
		s.tell(t)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// tell prints the end of the logs if the test has failed, and leaves the whole logs in the test's folder of artifacts
// (see go test -artifacts).
func (s *System) tell(t testing.TB) {
	if !t.Failed() {
		return
	}
	t.Log(s.Logs())
	for _, p := range s.programs {
		text, err := os.ReadFile(p.log)
		if err == nil {
			err = os.WriteFile(filepath.Join(t.ArtifactDir(), filepath.Base(p.log)), text, 0o600)
		}
		if err != nil {
			t.Log(err)
		}
	}
}

// program adds a program to the system.
func (s *System) program(name string, args ...string) { s.programFrom(s.build, name, args...) }

// programFrom adds a program of any build to the system.
func (s *System) programFrom(build, name string, args ...string) {
	s.programs = append(s.programs, &process{
		command: append([]string{filepath.Join(build, "bin", name)}, args...),
		log:     filepath.Join(s.folder, name+".log"),
	})
}

// write writes a file in the folder of the system and returns its path.
func (s *System) write(name string, content []byte) (string, error) {
	path := filepath.Join(s.folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, content, 0o600)
}

// Shared is one system for all tests of a package that run at the same time.
type Shared struct {
	// Make prepares the system, such as NewKueue.
	Make func() (*System, error)

	mu     sync.Mutex
	users  int
	system *System
}

// Use starts the system unless another test uses it already, and closes it with the last one.
func (s *Shared) Use(t testing.TB) *System {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users == 0 {
		s.system = start(t, s.Make)
	}
	s.users++
	t.Cleanup(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.system.tell(t)
		if s.users--; s.users > 0 {
			return
		}
		if err := s.system.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.system
}

func start(t testing.TB, prepare func() (*System, error)) *System {
	t.Helper()
	system, err := prepare()
	if err != nil {
		t.Fatal(err)
	}
	if err := system.Start(t.Context()); err != nil {
		t.Fatal(errors.Join(err, system.Close()))
	}
	return system
}

// FreeAddress returns an address of this machine on which no process listens now.
func FreeAddress() (string, error) { return freeAddressOf("127.0.0.1") }

// freeAddressOf is FreeAddress for another address of this machine.
func freeAddressOf(host string) (string, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// FreePort returns a port of the loopback address on which no process listens now.
func FreePort() (int, error) {
	ports, err := freePorts(1)
	if err != nil {
		return 0, err
	}
	return ports[0], nil
}

// Ports are chosen below those that Linux gives to outgoing connections (32768 to 60999): one of these could have the port
// of a system that is stopped for a while.
const firstPort, ports = 20_000, 10_000

// freePorts returns different ports of the loopback address on which no process listens.
func freePorts(n int) ([]int, error) {
	var free []int
	var failed error
	for range 100 * n {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(ports)))
		if err != nil {
			failed = err
			continue
		}
		// Close them only at the end, so that the ports differ.
		defer listener.Close()
		if free = append(free, listener.Addr().(*net.TCPAddr).Port); len(free) == n {
			return free, nil
		}
	}
	return nil, fmt.Errorf("no %d free ports: %w", n, failed)
}
