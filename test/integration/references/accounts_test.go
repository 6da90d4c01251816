// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package references

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestServiceAccountNotAllowed: an application whose pods would run under an account that its namespace does not allow is refused with
// the list, runs as soon as the list has the account, and a run that was refused after another has ended also does.
func TestServiceAccountNotAllowed(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "8Gi", nil)
	operator.Use(t)
	allow(t, w, "spark")
	for _, name := range []string{"spark", "admin"} {
		harness.Create(t, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: name}})
	}
	app := w.Apply("pi", func(app *v1alpha1.SparkApplication) { app.Spec.Driver.ServiceAccountName = "spark" })
	w.Succeed(app)

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Spec.SparkConf = map[string]string{"spark.kubernetes.authenticate.executor.serviceAccountName": "admin"}
	})
	harness.Eventually(t, app, "refused", func(a *v1alpha1.SparkApplication) bool { return harness.Stage(a) == "InvalidSpec" })
	if want := `service account "admin" of spec.sparkConf[spark.kubernetes.authenticate.executor.serviceAccountName] is not allowed in namespace ` +
		w.Namespace + `: use one of "spark", or add it to the namespace's annotation sparkgate.io/allowed-service-accounts`; harness.Message(app) != want {
		t.Errorf("told %q\nwant %q", harness.Message(app), want)
	}
	if app.Status.Run != 1 || app.Status.Grant != nil {
		t.Errorf("a second run began: %s", harness.Show(app))
	}
	allow(t, w, "spark, admin")
	w.Succeed(app)
	if app.Status.Run != 2 {
		t.Errorf("want the second run: %s", harness.Show(app))
	}
}

// allow writes the list of service accounts that the world's namespace allows.
func allow(t *testing.T, w *harness.World, list string) {
	t.Helper()
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}
	patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"annotations":{"`+v1alpha1.AllowedServiceAccountsAnnotation+`":"`+list+`"}}}`))
	if err := env.Client().Patch(t.Context(), namespace, patch); err != nil {
		t.Fatal(err)
	}
}
