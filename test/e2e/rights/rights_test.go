// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package rights

import (
	"os"
	"path/filepath"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/e2e/env"
	"github.com/sparkgate/sparkgate/test/rights"
)

func TestMain(m *testing.M) { os.Exit(env.Main(m)) }

// TestNoRightIsUnusedOrMissing: the operator uses every right that it has, and lacks none. Rights that the end-to-end
// tests need not use are listed with the test that uses them.
func TestNoRightIsUnusedOrMissing(t *testing.T) {
	granted, used, lacked := granted(t), rights.Set{}, rights.Set{}
	for _, path := range auditLogs(t) {
		log, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer log.Close()
		if err := used.Used(log, rights.Account, lacked); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere, left := rights.NotHere(), granted.Minus(used.WithLists())
	unused := left.Minus(elsewhere)
	t.Logf("rights used / granted: %d / %d, of which %d only in other tests:\n%s\nused here:\n%s",
		len(granted)-len(unused), len(granted), len(left)-len(unused), left.Minus(unused), used)
	if len(unused) > 0 {
		t.Errorf("the operator's roles allow what it never does; remove it, or test it:\n%s", unused)
	}
	if len(lacked) > 0 {
		t.Errorf("the operator was refused:\n%s", lacked)
	}
	if gone := elsewhere.Minus(granted); len(gone) > 0 {
		t.Errorf("these are listed as used in other tests, and no role has them:\n%s", gone)
	}
}

// auditLogs returns the audit log of the cluster and what was rotated.
func auditLogs(t *testing.T) []string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(filepath.Dir(os.Getenv("KUBECONFIG")), "log", "audit*.log"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("the cluster has no audit log: start it with `localcluster up --audit` (%v)", err)
	}
	return logs
}

// granted returns the rights of the operator's account by all bindings that name it.
func granted(t *testing.T) rights.Set {
	t.Helper()
	clusterwide, namespaced := &rbacv1.ClusterRoleBindingList{}, &rbacv1.RoleBindingList{}
	for _, list := range []client.ObjectList{clusterwide, namespaced} {
		if err := env.Client().List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	all := rights.Set{}
	for _, b := range clusterwide.Items {
		add(t, all, "", b.RoleRef, b.Subjects)
	}
	for _, b := range namespaced.Items {
		add(t, all, b.Namespace, b.RoleRef, b.Subjects)
	}
	if len(all) == 0 {
		t.Fatal("no binding names the operator's account")
	}
	return all
}

// add adds the rights of a role if the binding is for the operator's account.
func add(t *testing.T, all rights.Set, namespace string, role rbacv1.RoleRef, subjects []rbacv1.Subject) {
	t.Helper()
	for _, s := range subjects {
		if s.Kind != rbacv1.ServiceAccountKind || "system:serviceaccount:"+s.Namespace+":"+s.Name != rights.Account {
			continue
		}
		key := client.ObjectKey{Namespace: namespace, Name: role.Name}
		if role.Kind == "Role" {
			r := &rbacv1.Role{}
			if err := env.Client().Get(t.Context(), key, r); err != nil {
				t.Fatal(err)
			}
			all.Granted(r.Rules)
			continue
		}
		key.Namespace = ""
		r := &rbacv1.ClusterRole{}
		if err := env.Client().Get(t.Context(), key, r); err != nil {
			t.Fatal(err)
		}
		all.Granted(r.Rules)
	}
}
