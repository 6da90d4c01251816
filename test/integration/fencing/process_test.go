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

// process is one start of the program.
type process struct {
	*harness.Process
	started chan struct{} // closed once there is a Process; its first request may come before
	number  int
	network *harness.Network
	proxy   *httptest.Server
	// drivers that it has asked the API server for.
	drivers atomic.Int32
	// emptied are its writes that gave a lease back.
	emptied atomic.Int32

	mu     sync.Mutex
	holder string // its name in the ledger, once it has tried to write one
}

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: proxy, cluster: {server: %q}}]
contexts: [{name: proxy, context: {cluster: proxy}}]
current-context: proxy
`

// startProcess starts the program of a pair. The test's end kills it, stopped or not.
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

// ledgerHolder is who a ledger belongs to, as its writer says.
var ledgerHolder = regexp.MustCompile(`"ledger":{.*"holder":"([^"]+)"`)

// note takes in what a write shows of the process.
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

// kill ends the process, which may stand still, and closes its proxy.
func (s *process) kill() {
	s.Kill()
	s.network.Resume()
	s.proxy.CloseClientConnections()
	s.proxy.Close()
}

// stop makes the process stand still (SIGSTOP) and returns once it does.
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

// wake lets the process go on, and with it the write that was held back: it is sent, whatever has become of the world.
func (s *process) wake() {
	s.network.Resume()
	_ = s.Signal(syscall.SIGCONT) // if it has ended, others say so
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

// why returns the reason of these for which the process has ended, as its last line says; empty for any other one.
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
