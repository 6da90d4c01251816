// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"fmt"
	"strings"
	"testing"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// replicas are processes of the operator with the leases of one namespace.
type replicas struct {
	t       *testing.T
	program harness.Program
	running []*harness.Process
}

// newReplicas compiles the program from this checkout and starts it some times.
func newReplicas(t *testing.T, n int) *replicas {
	t.Helper()
	return replicasOf(t, harness.BuildProgram(t), n)
}

// replicasOf starts a program some times.
func replicasOf(t *testing.T, program harness.Program, n int) *replicas {
	t.Helper()
	r := &replicas{t: t, program: program}
	for range n {
		r.start()
	}
	return r
}

// start adds a replica. Its leases last as long as in any installation, so that a busy machine does not lose them.
func (r *replicas) start(flags ...string) *harness.Process {
	r.t.Helper()
	s := r.program.Start(r.t, append([]string{"--enable-leader-election", "--leader-election-per-tree"}, flags...)...)
	r.running = append(r.running, s)
	return s
}

// kill kills a replica, which another one replaces later.
func (r *replicas) kill(s *harness.Process) {
	s.Kill()
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
	if err := env.Client().List(r.t.Context(), list, client.InNamespace(r.program.Namespace)); err != nil {
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
func (r *replicas) by(holder string) *harness.Process {
	r.t.Helper()
	for _, s := range r.running {
		if strings.Contains(s.Log(), holder) {
			return s
		}
	}
	r.t.Fatalf("no replica is %s", holder)
	return nil
}
