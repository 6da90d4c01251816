// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

// policy is an admission policy, or the binding of one.
type policy struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		PolicyName      string
		FailurePolicy   string
		MatchConditions []struct{ Name, Expression string }
		Variables       []struct{ Name, Expression string }
		Validations     []struct{ Expression, Reason, MessageExpression string }
		MatchResources  struct {
			NamespaceSelector struct{ MatchLabels map[string]string }
		}
	}
}

func guard(t *testing.T) []policy {
	t.Helper()
	return slices.Concat(documents[policy](t, "guard/mutating.yaml"), documents[policy](t, "guard/validating/*s.yaml"))
}

// TestTheGuardHasOneIdeaOfSparkPods: what the one half gates is what the other half guards.
func TestTheGuardHasOneIdeaOfSparkPods(t *testing.T) {
	t.Parallel()
	var ideas []string
	for _, p := range guard(t) {
		for _, named := range slices.Concat(p.Spec.MatchConditions, p.Spec.Variables) {
			if named.Name == "spark" {
				ideas = append(ideas, named.Expression)
			}
		}
	}
	if len(ideas) != 2 {
		t.Fatalf("%d places say what a Spark pod is, want 2", len(ideas))
	}
	if diff := cmp.Diff(ideas[0], ideas[1]); diff != "" {
		t.Errorf("the mutating policy has another idea than the validating one (-mutating +validating):\n%s", diff)
	}
}

// TestTheGuardRefusesWithAReason: a 422 would make GitOps tools delete and recreate what was refused, so it is a 403, with words of our
// own. What cannot be judged is refused.
func TestTheGuardRefusesWithAReason(t *testing.T) {
	t.Parallel()
	validations := 0
	for _, p := range guard(t) {
		for _, v := range p.Spec.Validations {
			validations++
			if v.Reason != "Forbidden" || v.MessageExpression == "" {
				t.Errorf("%s: reason %q, message %q of %s", p.Metadata.Name, v.Reason, v.MessageExpression, v.Expression)
			}
		}
		if p.Spec.PolicyName == "" && p.Spec.FailurePolicy != "Fail" {
			t.Errorf("%s %s has the failure policy %q", p.Kind, p.Metadata.Name, p.Spec.FailurePolicy)
		}
	}
	if validations < 9 {
		t.Errorf("%d validations were found; some got lost", validations)
	}
}

// TestTheGuardIsForGuardedNamespaces: bindings on pods select by the label; the one on namespaces looks at what a namespace was.
func TestTheGuardIsForGuardedNamespaces(t *testing.T) {
	t.Parallel()
	bound := map[string]bool{}
	for _, p := range guard(t) {
		if p.Spec.PolicyName == "" {
			continue
		}
		bound[p.Spec.PolicyName] = true
		want := map[string]string{"sparkgate.io/guarded": "true"}
		if p.Spec.PolicyName == "sparkgate-guard-namespaces" {
			want = nil
		}
		if diff := cmp.Diff(want, p.Spec.MatchResources.NamespaceSelector.MatchLabels); diff != "" {
			t.Errorf("namespaces of %s %s (-want +got):\n%s", p.Kind, p.Metadata.Name, diff)
		}
	}
	for _, p := range guard(t) {
		if !bound[p.Metadata.Name] {
			t.Errorf("%s is not bound", p.Metadata.Name)
		}
	}
}

// TestOnlyTheOperatorReleases: the right is bound to its account alone, and the right to enroll to no account.
func TestOnlyTheOperatorReleases(t *testing.T) {
	t.Parallel()
	const file = "guard/validating/release_role.yaml"
	for name, verb := range map[string]string{"sparkgate-release": "release", "sparkgate-enroll": "enroll"} {
		want := []rbacv1.PolicyRule{{Verbs: []string{verb}, APIGroups: []string{"sparkgate.io"}, Resources: []string{"gates"}}}
		if diff := cmp.Diff(want, rulesOf(t, file, name)); diff != "" {
			t.Errorf("rules of %s (-want +got):\n%s", name, diff)
		}
	}
	var bindings []rbacv1.ClusterRoleBinding
	for _, b := range documents[rbacv1.ClusterRoleBinding](t, file) {
		if b.Kind == "ClusterRoleBinding" {
			bindings = append(bindings, b)
		}
	}
	account := []rbacv1.Subject{{Kind: "ServiceAccount", Name: "sparkgate", Namespace: "sparkgate-system"}}
	if len(bindings) != 1 || bindings[0].RoleRef.Name != "sparkgate-release" || !slices.Equal(bindings[0].Subjects, account) {
		t.Errorf("bindings: %+v", bindings)
	}
}
