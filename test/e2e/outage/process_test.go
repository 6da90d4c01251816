// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package outage

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// process is one instance of the operator as a plain process of this machine.
type process struct {
	command *exec.Cmd
	ended   chan struct{}
	mu      sync.Mutex
	log     bytes.Buffer
	killed  bool
}

const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{name: proxy, cluster: {server: %q}}]
contexts: [{name: proxy, context: {cluster: proxy}}]
current-context: proxy
`

// startProcess starts the operator against a server. It is killed at the end of the test.
func startProcess(t *testing.T, server string) *process {
	t.Helper()
	binary := os.Getenv("SPARKGATE_OPERATOR")
	if binary == "" {
		t.Fatal("SPARKGATE_OPERATOR does not name the operator's binary: run `make e2e`")
	}
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, fmt.Appendf(nil, kubeconfig, server), 0o600); err != nil {
		t.Fatal(err)
	}
	// No lease: only one operator runs at a time, and the ledger fences it against the previous one.
	p := &process{command: exec.Command(binary, "--metrics-addr=0", "--health-addr=0", "--explain-addr=0"), ended: make(chan struct{})}
	p.command.Env = append(os.Environ(), "KUBECONFIG="+file)
	p.command.Stdout, p.command.Stderr = p, p
	if err := p.command.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.command.Wait() // it is killed
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.mu.Lock()
		alone := !p.killed
		p.mu.Unlock()
		select {
		case <-p.ended:
			if alone {
				t.Errorf("the operator ended by itself:\n%s", p.text())
			}
		default:
			p.kill()
		}
		if t.Failed() {
			t.Logf("log of operator process %d:\n%s", p.command.Process.Pid, p.text())
		}
	})
	return p
}

// kill sends SIGKILL and waits until the process is gone.
func (p *process) kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	// An error means that it has ended already.
	_ = p.command.Process.Kill()
	<-p.ended
}

// Write keeps the end of the log.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const most = 1 << 20
	if p.log.Len() > most {
		p.log.Reset()
	}
	return p.log.Write(text)
}

func (p *process) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.log.String()
}
