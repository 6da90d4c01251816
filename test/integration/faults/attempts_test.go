// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package faults

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func init() { maps.Copy(lives, livesOfAttempts) }

// livesOfAttempts are lives in which something follows the end of an attempt.
var livesOfAttempts = map[string]func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication{
	"an application fails and is tried again": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "retry", queue)
		app.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, Backoff: &v1alpha1.Backoff{Initial: &metav1.Duration{}}}
		harness.Create(t, app)
		harness.Eventually(t, app, "succeeded", harness.InStage("Succeeded"))
		var outcomes []string
		for _, a := range app.Status.Attempts {
			outcomes = append(outcomes, string(a.Outcome))
		}
		if diff := cmp.Diff([]string{"Failed", "Succeeded"}, outcomes); diff != "" || app.Status.Failures != 1 {
			t.Errorf("%d failures, outcomes of attempts (-want +got):\n%s", app.Status.Failures, diff)
		}
		return app
	},
	"an application leaves nothing behind": func(t *testing.T, namespace, queue string) *v1alpha1.SparkApplication {
		app := harness.Pi(namespace, "mortal", queue)
		app.Spec.Retention = &v1alpha1.Retention{Policy: v1alpha1.RetentionNever}
		harness.Create(t, app)
		harness.Eventually(t, app, "succeeded", harness.InStage("Succeeded"))
		nothingIsKept(t, namespace)
		harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.TTLAfterFinished = &metav1.Duration{} })
		was := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: app.Name, UID: app.UID}}
		harness.Gone(t, app)
		return was
	},
}

// nothingIsKept waits until everything that was created for an attempt is gone.
func nothingIsKept(t *testing.T, namespace string) {
	t.Helper()
	left := 0
	err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		left = 0
		for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{}} {
			if err := env.Client().List(ctx, list, client.InNamespace(namespace), client.HasLabels{v1alpha1.ApplicationUIDLabel}); err != nil {
				return false, err
			}
			left += apimeta.LenList(list)
		}
		return left == 0, nil
	})
	if err != nil {
		t.Errorf("%d objects of the attempt are still there: %v", left, err)
	}
}
