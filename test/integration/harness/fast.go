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

// InstallFast applies config/fast as a user would, and waits until the API server acts by it. All namespaces have it, so a test that runs
// beside it is not parallel to others; the test's end removes it.
func InstallFast(t *testing.T) {
	t.Helper()
	folder, namespace := filepath.Join(env.Root(), "config", "fast"), env.Namespace(t)
	if _, err := env.Kubectl(t, "apply", "-k", folder); err != nil {
		t.Fatal(err)
	}
	// An API server that has only just got the kind refuses objects of it for a moment: the policy cannot be applied to them yet.
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
