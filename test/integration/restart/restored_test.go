// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package restart

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestRestoredFromABackup: applications that a backup restores with their status, before an operator is there. What had ended stays so. What ran is lost
// with its pods, and is tried again if its restart policy says so.
func TestRestoredFromABackup(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	operator := start(t)
	ended := w.Apply("ended")
	w.Succeed(ended)
	running := w.Apply("running", func(a *v1alpha1.SparkApplication) {
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnInfrastructureFailure, Backoff: &v1alpha1.Backoff{Initial: &metav1.Duration{}}}
	})
	w.Run(running)
	operator.Stop()
	restore(t, ended)
	restore(t, running)

	start(t)
	w.Succeed(running)
	if a := running.Status.Attempts; len(a) != 2 || a[0].Reason != "DriverLost" || running.Status.Run != 1 {
		t.Errorf("attempts of what ran: %+v in run %d", a, running.Status.Run)
	}
	harness.Eventually(t, ended, "as it had ended", harness.InStage(v1alpha1.SucceededReason))
	if created := w.Kubelet.Created(ended.UID); ended.Status.Run != 1 || len(created) > 0 {
		t.Errorf("what had ended runs again: %v in run %d", created, ended.Status.Run)
	}
}

// restore replaces an application by one that a backup has made of it.
func restore(t *testing.T, app *v1alpha1.SparkApplication) {
	t.Helper()
	saved := app.Status.DeepCopy()
	if err := env.Client().Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Finalizers = nil })
	app.ObjectMeta = metav1.ObjectMeta{Namespace: app.Namespace, Name: app.Name, Finalizers: []string{v1alpha1.Finalizer}}
	harness.Create(t, app)
	app.Status = *saved
	if err := env.Client().Status().Update(t.Context(), app); err != nil {
		t.Fatal(err)
	}
}
