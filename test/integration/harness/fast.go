// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package harness

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
)

// InstallFast applies config/fast as a user would, and waits until the API server enforces it. It affects all
// namespaces, so a test that uses it cannot be parallel to others. It is removed at the end of the test.
func InstallFast(t *testing.T) {
	t.Helper()
	folder, namespace := filepath.Join(env.Root(), "config", "fast"), env.Namespace(t)
	if _, err := env.Kubectl(t, "apply", "-k", folder); err != nil {
		t.Fatal(err)
	}
	// An API server with a new kind refuses objects of that kind for a moment, because it cannot apply the policy yet.
	env.UntilSeen(t, "the finalizer is added", func() (bool, error) {
		app := Pi(namespace, "probe", "none")
		err := env.Client().Create(t.Context(), app, client.DryRunAll)
		return slices.Equal(app.Finalizers, []string{v1alpha1.Finalizer}), err
	})
	t.Cleanup(func() {
		meta := metav1.ObjectMeta{Name: "sparkgate-finalizer"}
		for _, object := range []client.Object{&admissionv1.MutatingAdmissionPolicyBinding{ObjectMeta: meta}, &admissionv1.MutatingAdmissionPolicy{ObjectMeta: meta}} {
			if err := env.Client().Delete(context.Background(), object); err != nil {
				t.Error(err)
			}
		}
	})
}
