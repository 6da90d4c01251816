// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package fencing

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// compile builds the operator's program from this checkout.
func compile(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "sparkgate")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/sparkgate")
	command.Dir = env.Root()
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("compile the operator: %v\n%s", err, out)
	}
	return program
}

// process is one start of the program.
type process struct {
	number  int
	command *exec.Cmd
	network *harness.Network
	proxy   *httptest.Server
	ended   chan struct{}
	// drivers that it has asked the API server for.
	drivers atomic.Int32
	// emptied are its writes that gave a lease back.
	emptied atomic.Int32

	mu     sync.Mutex
	holder string // its name in the ledger, once it has tried to write one
	log    bytes.Buffer
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
	s := &process{number: number, ended: make(chan struct{})}
	s.network = harness.NewNetwork(func(_ int, r *http.Request) harness.Fault {
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
	s.command = exec.Command(p.program, append([]string{"--enable-leader-election", "--metrics-addr=0", "--health-addr=0", "--explain-addr=0"}, p.flags...)...)
	s.command.Env = append(os.Environ(), "KUBECONFIG="+file, "RUNTIME_NAMESPACE="+p.world.Namespace)
	s.command.Stdout, s.command.Stderr = s, s
	// It must not outlive the test, whatever happens to that.
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := s.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = s.command.Wait() // its log says more
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("log of process %d:\n%s", number, s.text())
		}
	})
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

// holds says that a ledger belongs to the process.
func (s *process) holds(l *v1alpha1.Ledger) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.holder == l.Holder
}

// kill ends the process, which may stand still, and closes its proxy.
func (s *process) kill() {
	_ = s.command.Process.Kill() // gone already is as good
	<-s.ended
	s.network.Resume()
	s.proxy.CloseClientConnections()
	s.proxy.Close()
}

// stop makes the process stand still (SIGSTOP) and returns once it does.
func (s *process) stop() error {
	if err := s.command.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop process %d: %w", s.number, err)
	}
	for range 1000 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.command.Process.Pid))
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
	_ = s.command.Process.Signal(syscall.SIGCONT) // if it has ended, others say so
}

func (s *process) hasEnded() bool {
	select {
	case <-s.ended:
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

// why is the reason of these for which the process has ended, as its last line says; empty for any other one.
func (s *process) why() string {
	text := s.text()
	last := text[strings.LastIndex(strings.TrimSpace(text), "\n")+1:]
	for _, reason := range []string{lostLease, lostLedger} {
		if strings.Contains(last, reason) {
			return reason
		}
	}
	return ""
}

// Write keeps the end of the log.
func (s *process) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const most = 1 << 20
	if s.log.Len() > most {
		s.log.Reset()
	}
	return s.log.Write(text)
}

func (s *process) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}
