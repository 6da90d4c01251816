// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// replicas are processes of the operator with the leases of one namespace.
type replicas struct {
	t         *testing.T
	program   string
	namespace string
	running   []*replica
	starts    int
}

// replica is one start of the program.
type replica struct {
	number  int
	command *exec.Cmd
	ended   chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// newReplicas compiles the program from this checkout and starts it some times.
func newReplicas(t *testing.T, n int) *replicas {
	t.Helper()
	r := &replicas{t: t, program: filepath.Join(t.TempDir(), "sparkgate"), namespace: env.Namespace(t)}
	command := exec.CommandContext(t.Context(), "go", "build", "-o", r.program, "./cmd/sparkgate")
	command.Dir = env.Root()
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("compile the operator: %v\n%s", err, out)
	}
	for range n {
		r.start()
	}
	return r
}

// start adds a replica. Its leases last as long as in any installation, so that a busy machine does not lose them.
func (r *replicas) start() *replica {
	r.t.Helper()
	r.starts++
	s := &replica{number: r.starts, ended: make(chan struct{})}
	s.command = exec.Command(r.program, "--enable-leader-election", "--leader-election-per-tree",
		"--metrics-addr=0", "--health-addr=0", "--explain-addr=0")
	s.command.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster().Kubeconfig, "RUNTIME_NAMESPACE="+r.namespace)
	s.command.Stdout, s.command.Stderr = s, s
	s.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it must not outlive the test
	if err := s.command.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		_ = s.command.Wait() // its log says more
		close(s.ended)
	}()
	r.running = append(r.running, s)
	r.t.Cleanup(func() {
		s.kill()
		if r.t.Failed() {
			r.t.Logf("log of replica %d:\n%s", s.number, s.text())
		}
	})
	return s
}

// kill ends a replica at once: nothing is given back.
func (s *replica) kill() {
	_ = s.command.Process.Kill() // gone already is as good
	<-s.ended
}

// kill kills a replica, which another one replaces later.
func (r *replicas) kill(s *replica) {
	s.kill()
	for i := range r.running {
		if r.running[i] == s {
			r.running = append(r.running[:i], r.running[i+1:]...)
			return
		}
	}
}

// leads returns which replica has each lease, by the name of the tree; empty is what is in no tree.
func (r *replicas) leads() map[string]string {
	r.t.Helper()
	list := &coordinationv1.LeaseList{}
	if err := env.Client().List(r.t.Context(), list, client.InNamespace(r.namespace)); err != nil {
		r.t.Fatal(err)
	}
	holders := map[string]string{}
	for i := range list.Items {
		tree, is := strings.CutPrefix(list.Items[i].Name, "sparkgate-tree-")
		if list.Items[i].Name == "sparkgate-leader" {
			tree, is = "", true
		}
		if holder := ptr.Deref(list.Items[i].Spec.HolderIdentity, ""); is && holder != "" {
			holders[tree] = holder
		}
	}
	return holders
}

// settled waits until the replicas have divided some trees, and the rest, evenly among them, and each has taken over the ledgers of its own.
func (r *replicas) settled(trees []string) {
	r.t.Helper()
	share := (len(trees) + len(r.running)) / len(r.running)
	env.UntilSeen(r.t, "each tree has a leader, and no replica more than its share", func() (bool, any) {
		counts, of := map[string]int{}, r.leads()
		for _, tree := range append([]string{""}, trees...) {
			counts[of[tree]]++
		}
		even := len(counts) == len(r.running) && counts[""] == 0
		for _, n := range counts {
			even = even && n <= share
		}
		return even && r.tookOver(trees, of), fmt.Sprint(of)
	})
}

// tookOver reports whether the ledgers of trees are written by the holders of their leases: a leader has the lease first.
func (r *replicas) tookOver(trees []string, holders map[string]string) bool {
	r.t.Helper()
	for _, tree := range trees {
		queue := &v1alpha1.SparkQueue{}
		if err := env.Client().Get(r.t.Context(), client.ObjectKey{Name: tree}, queue); err != nil {
			r.t.Fatal(err)
		}
		if l := queue.Status.Ledger; l != nil && l.Holder != holders[tree] {
			return false
		}
	}
	return true
}

// by returns the running replica of a name in leases. The log of a replica has its name.
func (r *replicas) by(holder string) *replica {
	r.t.Helper()
	for _, s := range r.running {
		if strings.Contains(s.text(), holder) {
			return s
		}
	}
	r.t.Fatalf("no replica is %s", holder)
	return nil
}

// Write keeps the end of the log.
func (s *replica) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.Write(text)
}

func (s *replica) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}
