// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package config_test

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/pod-security-admission/api"
	podsecurity "k8s.io/pod-security-admission/policy"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomized builds a folder.
func kustomized(t *testing.T, folder string) resmap.ResMap {
	t.Helper()
	all, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// dashboard is the account and the pod of config/dashboard.
func dashboard(t *testing.T) (corev1.ServiceAccount, corev1.PodTemplateSpec) {
	t.Helper()
	all := kustomized(t, "dashboard")
	return built[corev1.ServiceAccount](t, all, "ServiceAccount")[0], built[appsv1.Deployment](t, all, "Deployment")[0].Spec.Template
}

// TestDashboardHasNoToken: neither its account nor its pod asks for one.
func TestDashboardHasNoToken(t *testing.T) {
	t.Parallel()
	account, pod := dashboard(t)
	if mounts := account.AutomountServiceAccountToken; mounts == nil || *mounts {
		t.Error("the account gives its pods a token")
	}
	if mounts := pod.Spec.AutomountServiceAccountToken; mounts == nil || *mounts || pod.Spec.ServiceAccountName != account.Name {
		t.Errorf("the pod has account %s with a token", pod.Spec.ServiceAccountName)
	}
	for _, v := range pod.Spec.Volumes {
		if v.Projected != nil || v.HostPath != nil {
			t.Errorf("volume %s may have a token", v.Name)
		}
	}
}

// TestDashboardHasTheOperatorsImage: a release changes both tags.
func TestDashboardHasTheOperatorsImage(t *testing.T) {
	t.Parallel()
	_, pod := dashboard(t)
	operator := built[appsv1.Deployment](t, kustomized(t, "manager"), "Deployment")[0].Spec.Template
	if got, want := pod.Spec.Containers[0].Image, operator.Spec.Containers[0].Image; got != want {
		t.Errorf("the dashboard has image %s, the operator %s", got, want)
	}
}

// TestDashboardIsRestricted: its pod fulfils the strictest Pod Security Standard.
func TestDashboardIsRestricted(t *testing.T) {
	t.Parallel()
	_, pod := dashboard(t)
	checks, err := podsecurity.NewEvaluator(podsecurity.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	for _, result := range checks.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			t.Errorf("not restricted: %s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
}

// TestDashboardHasNoRights: no binding of an installation names its account, and no Service of the operator leads to its pod.
func TestDashboardHasNoRights(t *testing.T) {
	t.Parallel()
	account, pod := dashboard(t)
	var subjects []rbacv1.Subject
	for _, folder := range []string{"default", "dashboard", "everywhere"} {
		installed := kustomized(t, folder)
		for _, b := range built[rbacv1.ClusterRoleBinding](t, installed, "ClusterRoleBinding") {
			subjects = append(subjects, b.Subjects...)
		}
		for _, b := range built[rbacv1.RoleBinding](t, installed, "RoleBinding") {
			subjects = append(subjects, b.Subjects...)
		}
	}
	if len(subjects) == 0 {
		t.Error("no installation has bindings")
	}
	for _, s := range subjects {
		if s.Name == account.Name || strings.HasPrefix(s.Name, "system:serviceaccounts") {
			t.Errorf("%s %s has rights", s.Kind, s.Name)
		}
	}
	for _, s := range built[corev1.Service](t, kustomized(t, "default"), "Service") {
		if labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels)) {
			t.Errorf("Service %s of the operator leads to the dashboard", s.Name)
		}
	}
}
