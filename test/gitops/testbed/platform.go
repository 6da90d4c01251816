// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package testbed

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
)

// Read returns the files of a folder with the extension yaml, with their paths moved below another folder and parts
// replaced.
func Read(t *testing.T, from fs.FS, folder, to string, replace *strings.Replacer) Files {
	t.Helper()
	content := Files{}
	err := fs.WalkDir(from, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		text, err := fs.ReadFile(from, name)
		content[path.Join(to, strings.TrimPrefix(name, folder))] = replace.Replace(string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Installation returns the folder sparkgate of a platform's repository: an overlay of config/default, with additional
// files.
func Installation(t *testing.T, more ...string) Files {
	t.Helper()
	resources := strings.Join(append([]string{"config/default"}, more...), ", ")
	content := Files{
		"sparkgate/kustomization.yaml": fmt.Sprintf("apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [%s]\n", resources),
	}
	root := os.DirFS(env.Root())
	for _, part := range []string{"default", "manager", "crd", "rbac", "everywhere"} {
		maps.Copy(content, Read(t, root, path.Join("config", part), path.Join("sparkgate/config", part), strings.NewReplacer()))
	}
	return content
}

// Chart returns the Helm chart of the operator, in the same folder as in this repository.
func Chart(t *testing.T) Files {
	t.Helper()
	const folder = "config/chart/sparkgate"
	content, root := Files{}, os.DirFS(env.Root())
	err := fs.WalkDir(root, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		content[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// PlayDeployment stands in for the controller of Deployments once the operator's Deployment is applied.
func PlayDeployment(t *testing.T) {
	t.Helper()
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "sparkgate-system", Name: "sparkgate"}}
	env.UntilSeen(t, "the operator's Deployment is applied and called available", func() (bool, error) {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(deployment), deployment); err != nil {
			return false, err
		}
		deployment.Status = appsv1.DeploymentStatus{
			ObservedGeneration: deployment.Generation, Replicas: 1, UpdatedReplicas: 1, ReadyReplicas: 1, AvailableReplicas: 1,
			Conditions: []appsv1.DeploymentCondition{
				{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue},
				{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: "NewReplicaSetAvailable"},
			},
		}
		err := env.Client().Status().Update(t.Context(), deployment)
		return err == nil, err
	})
}
