// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const (
	system  = "sparkgate-system"
	account = "system:serviceaccount:" + system + ":sparkgate"
)

// install applies the roles that are shipped for several leaders.
func install(t *testing.T) {
	t.Helper()
	for _, args := range [][]string{
		{"-f", "manager/namespace.yaml"}, {"-k", "rbac"}, {"-k", "everywhere"}, {"-f", "tree-leases/role.yaml"},
	} {
		if _, err := env.Kubectl(t, "apply", args[0], filepath.Join(env.Root(), "config", args[1])); err != nil {
			t.Fatal(err)
		}
	}
	for _, right := range []authorizationv1.ResourceAttributes{
		{Verb: "list", Group: "sparkgate.io", Resource: "sparkapplications"}, {Verb: "create", Resource: "pods"},
		{Verb: "delete", Group: "coordination.k8s.io", Resource: "leases", Namespace: system},
	} {
		env.Until(t, "the API server knows the rights of the operator", func() bool {
			review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &right}}
			return env.Client().Create(t.Context(), review) == nil && review.Status.Allowed
		})
	}
}

// TestShippedRolesAreEnough: replicas with the shipped roles divide the trees, run what is in them, take over from one that
// is killed, and delete what it has left; nothing is refused to them.
func TestShippedRolesAreEnough(t *testing.T) {
	install(t)
	program := harness.BuildProgram(t).As(t, account)
	program.Namespace = system
	worlds, names := []*harness.World{}, []string{}
	for range 3 {
		w := harness.NewWorld(t, "3Gi", nil)
		worlds, names = append(worlds, w), append(names, w.Queue.Name)
	}
	r := replicasOf(t, program, 0)
	for range 2 {
		r.start("--leader-election-lease-duration=6s", "--leader-election-renew-deadline=4500ms", "--leader-election-retry-period=500ms")
	}
	r.settled(names)
	for _, w := range worlds {
		w.Succeed(w.Apply("first"))
	}
	victim := r.running[0]
	r.kill(victim)
	r.settled(names)
	for _, w := range worlds {
		w.Succeed(w.Apply("second"))
	}
	// Ten lease durations later: another replica might only be slow.
	env.UntilWithin(t, 3*time.Minute, "the lease of the replica that was killed is deleted", func() (bool, any) {
		var left []string
		list := &coordinationv1.LeaseList{}
		if err := env.Client().List(t.Context(), list, client.InNamespace(system)); err != nil {
			t.Fatal(err)
		}
		for i := range list.Items {
			if strings.HasPrefix(list.Items[i].Name, "sparkgate-replica-") {
				left = append(left, list.Items[i].Name)
			}
		}
		return len(left) == 1, left
	})
	for _, s := range []*harness.Process{victim, r.running[0]} {
		for _, line := range strings.Split(s.Log(), "\n") {
			if strings.Contains(line, "forbidden") {
				t.Errorf("it lacks a right: %s", line)
			}
		}
	}
}
