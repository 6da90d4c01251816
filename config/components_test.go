// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// overlay builds an installation with the components.
func overlay(t *testing.T, components ...string) resmap.ResMap {
	t.Helper()
	config, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	relative := func(name string) string {
		path, err := filepath.Rel(dir, filepath.Join(config, name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	text := "resources: [" + relative("default") + "]\ncomponents:\n"
	for _, c := range components {
		text += "- " + relative(c) + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return built
}

// TestEachFolderBuildsByItself: kustomize build accepts each folder as it stands, and a component without what it is a component of.
func TestEachFolderBuildsByItself(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/kustomization.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no kustomization was found: %v", err)
	}
	for _, file := range files {
		if _, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Dir(file)); err != nil {
			t.Errorf("%s: %v", filepath.Dir(file), err)
		}
	}
}

// built decodes the objects of a kind.
func built[T any](t *testing.T, all resmap.ResMap, kind string) []T {
	t.Helper()
	var out []T
	for _, r := range all.Resources() {
		if r.GetKind() != kind {
			continue
		}
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		var obj T
		if err := yaml.UnmarshalStrict(text, &obj); err != nil {
			t.Fatal(err)
		}
		out = append(out, obj)
	}
	return out
}

// TestNetworkPolicy: the policies select the operator's pod, each port that it has is named in one of them and no other, and metrics and
// explanations are for one user.
func TestNetworkPolicy(t *testing.T) {
	t.Parallel()
	all := overlay(t, "network-policy")
	pod := built[appsv1.Deployment](t, all, "Deployment")[0].Spec.Template
	var ports, named []string
	for _, p := range pod.Spec.Containers[0].Ports {
		ports = append(ports, p.Name)
	}
	for _, policy := range built[networkingv1.NetworkPolicy](t, all, "NetworkPolicy") {
		if policy.Namespace != "sparkgate-system" || !labels.SelectorFromSet(policy.Spec.PodSelector.MatchLabels).Matches(labels.Set(pod.Labels)) {
			t.Errorf("policy %s/%s does not select the operator's pod", policy.Namespace, policy.Name)
		}
		for _, rule := range policy.Spec.Ingress {
			for _, p := range rule.Ports {
				named = append(named, p.Port.StrVal)
				if len(rule.From) == 0 && p.Port.StrVal != "healthz" {
					t.Errorf("everybody reaches port %s", p.Port.StrVal)
				}
			}
		}
	}
	slices.Sort(ports)
	slices.Sort(named)
	if !slices.Equal(ports, named) {
		t.Errorf("the policies name ports %v, the pod has %v", named, ports)
	}
}

// TestMetricsSecure: the component sets the flag and configures Prometheus for it, and neither is in the default installation.
func TestMetricsSecure(t *testing.T) {
	t.Parallel()
	for name, secure := range map[string]bool{"network-policy": false, "metrics-secure": true} {
		pod := built[appsv1.Deployment](t, overlay(t, name), "Deployment")[0].Spec.Template
		if got := slices.Contains(pod.Spec.Containers[0].Args, "--metrics-secure"); got != secure {
			t.Errorf("with component %s the flag is set: %t; want %t", name, got, secure)
		}
		if got := strings.Contains(pod.Annotations["prometheus.io/scheme"], "https"); got != secure {
			t.Errorf("with component %s Prometheus is told of TLS: %t; want %t", name, got, secure)
		}
	}
}
