// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package config_test reads the manifests of the installation and holds them to what the documentation promises.
package config_test

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// crd is the part of a CustomResourceDefinition that roles depend on.
type crd struct {
	Spec struct {
		Group    string
		Names    struct{ Plural string }
		Versions []struct {
			Subresources struct{ Status *struct{} }
		}
	}
}

// role is a Role or ClusterRole.
type role struct {
	Kind     string
	Metadata struct{ Name string }
	Rules    []rbacv1.PolicyRule
}

// documents decodes every document of the files that match.
func documents[T any](t *testing.T, pattern string) []T {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file matches %s: %v", pattern, err)
	}
	var out []T
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
		for {
			doc, err := reader.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			var v T
			if err := yaml.Unmarshal(doc, &v); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			out = append(out, v)
		}
	}
	return out
}

// rulesOf are the rules of one role.
func rulesOf(t *testing.T, pattern, name string) []rbacv1.PolicyRule {
	t.Helper()
	for _, r := range documents[role](t, pattern) {
		if r.Metadata.Name == name && strings.HasSuffix(r.Kind, "Role") {
			return r.Rules
		}
	}
	t.Fatalf("no role %s in %s", name, pattern)
	return nil
}

// verbsOn are all verbs that the rules allow on a resource.
func verbsOn(rules []rbacv1.PolicyRule, group, resource string) []string {
	var verbs []string
	for _, r := range rules {
		if slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, resource) {
			verbs = append(verbs, r.Verbs...)
		}
	}
	return verbs
}

func TestRolesCoverEveryKind(t *testing.T) {
	t.Parallel()
	operator := slices.Concat(rulesOf(t, "rbac/*.yaml", "sparkgate-operator"), rulesOf(t, "rbac/*.yaml", "sparkgate-applications"))
	view := rulesOf(t, "rbac/*.yaml", "sparkgate-view")
	for _, c := range documents[crd](t, "crd/bases/*.yaml") {
		group, plural := c.Spec.Group, c.Spec.Names.Plural
		for _, verb := range []string{"list", "watch"} {
			for name, rules := range map[string][]rbacv1.PolicyRule{"sparkgate-operator": operator, "sparkgate-view": view} {
				if !slices.Contains(verbsOn(rules, group, plural), verb) {
					t.Errorf("%s may not %s %s", name, verb, plural)
				}
			}
		}
		if c.Spec.Versions[0].Subresources.Status != nil && !slices.Contains(verbsOn(operator, group, plural+"/status"), "patch") {
			t.Errorf("sparkgate-operator may not patch the status of %s", plural)
		}
	}
}

func TestRolesAreNarrow(t *testing.T) {
	t.Parallel()
	never := []string{"*", "bind", "escalate", "impersonate"}
	for _, r := range append(documents[role](t, "rbac/*.yaml"), documents[role](t, "job-namespace/*.yaml")...) {
		for _, rule := range r.Rules {
			for _, word := range slices.Concat(rule.Verbs, rule.Resources, rule.APIGroups) {
				if slices.Contains(never, word) {
					t.Errorf("%s has %q", r.Metadata.Name, word)
				}
			}
		}
	}

	everywhere := rulesOf(t, "rbac/*.yaml", "sparkgate-operator")
	operator := slices.Concat(everywhere, rulesOf(t, "rbac/*.yaml", "sparkgate-applications"), rulesOf(t, "rbac/*.yaml", "sparkgate-workloads"))
	tests := map[string]struct {
		rules           []rbacv1.PolicyRule
		group, resource string
		allowed         []string
	}{
		"confined: no pods elsewhere":             {everywhere, "", "pods", nil},
		"confined: no Secrets elsewhere":          {everywhere, "", "secrets", nil},
		"confined: finalizers elsewhere":          {everywhere, "sparkgate.io", "sparkapplications", []string{"patch"}},
		"secrets are never listed or changed":     {operator, "", "secrets", []string{"get", "create", "delete"}},
		"namespaces are read":                     {operator, "", "namespaces", []string{"get", "list", "watch"}},
		"the operator writes no roles":            {operator, rbacv1.GroupName, "roles", nil},
		"the operator writes no bindings":         {operator, rbacv1.GroupName, "rolebindings", nil},
		"applications come from schedules, or go": {operator, "sparkgate.io", "sparkapplications", []string{"get", "list", "watch", "create", "patch", "delete"}},
		"schedules are read":                      {operator, "sparkgate.io", "scheduledsparkapplications", []string{"get", "list", "watch"}},
		"queues belong to their administrators":   {operator, "sparkgate.io", "sparkqueues", []string{"get", "list", "watch"}},
		"the status of queues is patched only":    {operator, "sparkgate.io", "sparkqueues/status", []string{"patch"}},
		"nodes are read one by one":               {operator, "", "nodes", []string{"get"}},
		"viewers of queues see no applications":   {rulesOf(t, "rbac/*.yaml", "sparkgate-queue-view"), "sparkgate.io", "sparkapplications", nil},
		"viewers of queues change none":           {rulesOf(t, "rbac/*.yaml", "sparkgate-queue-view"), "sparkgate.io", "sparkqueues", []string{"get", "list", "watch"}},
		"editors do not change queues":            {rulesOf(t, "rbac/*.yaml", "sparkgate-edit"), "sparkgate.io", "sparkqueues", nil},
		"ingresses are not watched":               {operator, "networking.k8s.io", "ingresses", []string{"get", "list", "create", "patch", "delete"}},
		"routes are not watched":                  {operator, "gateway.networking.k8s.io", "httproutes", []string{"get", "list", "create", "patch", "delete"}},
		"gateways are read one by one":            {operator, "gateway.networking.k8s.io", "gateways", []string{"get"}},
		"budgets are not watched":                 {operator, "policy", "poddisruptionbudgets", []string{"get", "list", "create", "patch", "delete"}},
		"Volcano's queues are read":               {operator, "scheduling.volcano.sh", "queues", []string{"list", "watch"}},
		"tokens are reviewed only":                {operator, "authentication.k8s.io", "tokenreviews", []string{"create"}},
		"rights are reviewed only":                {operator, "authorization.k8s.io", "subjectaccessreviews", []string{"create"}},
		"logs are read":                           {operator, "", "pods/log", []string{"get"}},
		"events are not watched":                  {operator, "", "events", []string{"list"}},
		"the operator makes no tokens":            {operator, "", "serviceaccounts/token", nil},
		"explanations read applications only":     {rulesOf(t, "rbac/*.yaml", "sparkgate-explain"), "sparkgate.io", "sparkapplications", []string{"get"}},
		"Kueue's requests are made and ended":     {operator, "kueue.x-k8s.io", "workloads", []string{"get", "list", "watch", "create", "patch", "delete"}},
		"Kueue's conditions are written":          {operator, "kueue.x-k8s.io", "workloads/status", []string{"patch"}},
		"Kueue's queues are read":                 {operator, "kueue.x-k8s.io", "clusterqueues", []string{"list", "watch"}},
		"drivers do not see secrets":              {rulesOf(t, "job-namespace/*.yaml", "spark-driver"), "", "secrets", nil},
		"drivers do not resize what was granted":  {rulesOf(t, "job-namespace/*.yaml", "spark-driver"), "", "pods/resize", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, verb := range verbsOn(tt.rules, tt.group, tt.resource) {
				if !slices.Contains(tt.allowed, verb) {
					t.Errorf("%s on %s is allowed; at most %v should be", verb, tt.resource, tt.allowed)
				}
			}
		})
	}
}

// The rights around explanations are on single objects: on one port of one Service, and on the tokens of one account.
func TestExplanationsAreReachedByName(t *testing.T) {
	t.Parallel()
	type service struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Ports []struct{ Name, TargetPort string }
		}
	}
	var proxied, target string
	for _, s := range documents[service](t, "manager/explain_service.yaml") {
		proxied, target = "https:"+s.Metadata.Name+":"+s.Spec.Ports[0].Name, s.Spec.Ports[0].TargetPort
	}
	deployment, err := os.ReadFile("manager/deployment.yaml")
	if err != nil || !bytes.Contains(deployment, []byte("- name: "+target+"\n          containerPort: 9443\n")) ||
		!bytes.Contains(deployment, []byte("- --explain-addr=:9443\n")) {
		t.Errorf("the Deployment does not listen at the port %q of the Service (%v)", target, err)
	}
	for name, want := range map[string]rbacv1.PolicyRule{
		"sparkgate-explain-proxy": {Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"services/proxy"}, ResourceNames: []string{proxied}},
		"sparkgate-explain-token": {
			Verbs: []string{"create"}, APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}, ResourceNames: []string{"sparkgate-explain"},
		},
	} {
		if diff := cmp.Diff([]rbacv1.PolicyRule{want}, rulesOf(t, "rbac/*.yaml", name)); diff != "" {
			t.Errorf("rules of %s (-want +got):\n%s", name, diff)
		}
	}
}
