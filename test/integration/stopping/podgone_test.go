// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// ofAttempts returns the objects of equipped that belong to an attempt and not to the application.
func ofAttempts(t *testing.T, w *harness.World) []string {
	t.Helper()
	kinds := []string{configMapKind.Kind, claimKind.Kind, secretKind.Kind, policyKind.Kind}
	var names []string
	for _, obj := range created(t, w) {
		if slices.Contains(kinds, obj.Kind) {
			names = append(names, obj.Kind+" "+obj.Name)
		}
	}
	return names
}

// TestObjectsGoWithTheirDriverPod: what was created for an attempt goes with the pod of its driver, no matter when another client deletes that.
func TestObjectsGoWithTheirDriverPod(t *testing.T) {
	for name, play := range map[string]func(*testing.T, *harness.World, *harness.Operator, *v1alpha1.SparkApplication){
		"while it runs": func(t *testing.T, w *harness.World, _ *harness.Operator, app *v1alpha1.SparkApplication) {
			remove(t, w.Run(app), client.GracePeriodSeconds(0))
			w.Reach(app, "Failed")
		},
		"while it is kept": func(t *testing.T, w *harness.World, _ *harness.Operator, app *v1alpha1.SparkApplication) {
			w.Succeed(app)
			if kept := ofAttempts(t, w); len(kept) != 4 {
				t.Fatalf("kept: %v", kept)
			}
			remove(t, w.KeptDriver(app))
		},
		"while it is kept by another's finalizer": func(t *testing.T, w *harness.World, _ *harness.Operator, app *v1alpha1.SparkApplication) {
			driver := w.Run(app)
			harness.Change(t, driver, func(p *corev1.Pod) { p.Finalizers = append(p.Finalizers, "tenant.example.org/keep") })
			t.Cleanup(func() {
				patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
				_ = env.Client().Patch(context.Background(), driver, patch)
			})
			w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
			w.Reach(app, "Succeeded")
			remove(t, w.KeptDriver(app))
		},
		"while no operator runs": func(t *testing.T, w *harness.World, running *harness.Operator, app *v1alpha1.SparkApplication) {
			w.Succeed(app)
			running.Stop()
			driver := w.KeptDriver(app)
			remove(t, driver)
			harness.Gone(t, driver)
			harness.StartOperator(t, harness.OperatorOptions{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := harness.NewWorld(t, "3Gi", nil)
			running := harness.StartOperator(t, harness.OperatorOptions{})
			app := equipped(t, w)
			play(t, w, running, app)
			env.Until(t, "what the attempt had created is gone", func() bool { return len(ofAttempts(t, w)) == 0 })
			if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.SparkApplicationKind,
			}}); err != nil {
				t.Errorf("the application is gone as well: %v", err)
			}
		})
	}
}
