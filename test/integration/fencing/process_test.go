// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fencing

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// process is one running instance of the program.
type process struct {
	*harness.Process
	// started is closed once there is a Process; its first request may come before.
	started chan struct{}
	number  int
	network *harness.Network
	proxy   *httptest.Server
	// drivers counts the drivers that it has created.
	drivers atomic.Int32
	// emptied counts its writes that released a lease.
	emptied atomic.Int32

	mu sync.Mutex
	// holder is its name in the ledger, once it has tried to write one.
	holder string
}

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: proxy, cluster: {server: %q}}]
contexts: [{name: proxy, context: {cluster: proxy}}]
current-context: proxy
`

// startProcess starts the program of a pair. At the end of the test it is killed, stopped or not.
func startProcess(t *testing.T, p *pair, number int) *process {
	t.Helper()
	s := &process{number: number, started: make(chan struct{})}
	s.network = harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
		<-s.started
		s.note(r)
		return p.trap.Load().meet(s, r)
	})
	s.proxy = openProxy(t, s.network, func(r *http.Request) {
		if emptiesLease(r) {
			s.emptied.Add(1)
		}
	})
	file := filepath.Join(t.TempDir(), fmt.Sprintf("kubeconfig-%d", number))
	if err := os.WriteFile(file, fmt.Appendf(nil, kubeconfig, s.proxy.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Process = harness.Program{Path: p.program, Namespace: p.world.Namespace, Kubeconfig: file}.Start(t, append([]string{"--enable-leader-election"}, p.flags...)...)
	close(s.started)
	t.Cleanup(s.kill)
	return s
}

// ledgerHolder matches the holder of a ledger in a write.
var ledgerHolder = regexp.MustCompile(`"ledger":{.*"holder":"([^"]+)"`)

// note records what a write shows of the process.
func (s *process) note(r *http.Request) {
	if isPost(r, "/pods") {
		s.drivers.Add(1)
	}
	if !isPatch(r, "/sparkqueues/", `"ledger"`) {
		return
	}
	if found := ledgerHolder.FindSubmatch(bodyOf(r)); found != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.holder = string(found[1])
	}
}

// holds reports whether a ledger belongs to the process.
func (s *process) holds(l *v1alpha1.Ledger) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holder == l.Holder
}

// kill ends the process, which may be stopped, and closes its proxy.
func (s *process) kill() {
	s.Kill()
	s.network.Resume()
	s.proxy.CloseClientConnections()
	s.proxy.Close()
}

// stop stops the process (SIGSTOP) and returns once it is stopped.
func (s *process) stop() error {
	if err := s.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop process %d: %w", s.number, err)
	}
	for range 1000 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.Pid()))
		if err != nil {
			return fmt.Errorf("look at process %d: %w", s.number, err)
		}
		if bytes.Contains(status, []byte("\nState:\tT")) {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return fmt.Errorf("process %d does not stop", s.number)
}

// wake lets the process continue, and sends the write that was held back, whatever has happened meanwhile.
func (s *process) wake() {
	s.network.Resume()
	// If it has ended, other checks report it.
	_ = s.Signal(syscall.SIGCONT)
}

func (s *process) hasEnded() bool {
	select {
	case <-s.Ended():
		return true
	default:
		return false
	}
}

// The reasons for which a process gives way to another one.
const (
	lostLease  = "leader election lost"
	lostLedger = "another operator has taken over the ledger"
)

// why returns the reason for which the process has ended, by its last log line, if it is one of these; empty otherwise.
func (s *process) why() string {
	text := s.Log()
	last := text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]
	for _, reason := range []string{lostLease, lostLedger} {
		if strings.Contains(last, reason) {
			return reason
		}
	}
	return ""
}
