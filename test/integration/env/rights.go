// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package env

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// LetDriversRun gives all service accounts of a namespace the Role of config/job-namespace, and waits until the API
// server has noticed.
func LetDriversRun(t *testing.T, namespace string) {
	t.Helper()
	role := driverRole(t)
	role.Namespace = namespace
	group := "system:serviceaccounts:" + namespace
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: role.Name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: group}}}
	if err := firstError(server.client.Create(t.Context(), role), server.client.Create(t.Context(), binding)); err != nil {
		t.Fatalf("give drivers their rights: %v", err)
	}
	UntilSeen(t, "drivers of "+namespace+" may create pods", func() (bool, error) {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			Groups:             []string{group},
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Resource: "pods"},
		}}
		err := server.client.Create(t.Context(), review)
		return review.Status.Allowed, err
	})
}

// driverRole returns the Role of config/job-namespace.
func driverRole(t *testing.T) *rbacv1.Role {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(server.root, "config", "job-namespace", "spark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range strings.Split(string(text), "\n---\n") {
		role := &rbacv1.Role{}
		if err := yaml.Unmarshal([]byte(document), role); err != nil {
			t.Fatal(err)
		}
		if role.Kind == "Role" {
			return role
		}
	}
	t.Fatal("config/job-namespace has no Role")
	return nil
}
