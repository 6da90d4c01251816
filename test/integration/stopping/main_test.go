// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package stopping suspends and deletes applications in every stage, on nodes that answer and on nodes that do not.
package stopping

import (
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

func TestMain(m *testing.M) { os.Exit(harness.Main(m)) }

// operator of all tests of the package.
var operator harness.Shared

func suspend(app *v1alpha1.SparkApplication) { app.Spec.Suspend = true }

func resume(app *v1alpha1.SparkApplication) { app.Spec.Suspend = false }

// admitted waits until that many applications hold quota in the queue and that many wait for it.
func admitted(t *testing.T, w *harness.World, admitted, pending int32) {
	t.Helper()
	harness.Eventually(t, w.Queue, "counted", func(q *v1alpha1.SparkQueue) bool {
		return q.Status.Admitted == admitted && q.Status.Pending == pending
	})
}

// blocked keeps an application from its driver: it holds a grant and has no pod.
func blocked(t *testing.T, w *harness.World, name string) *v1alpha1.SparkApplication {
	t.Helper()
	harness.Create(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "somebody-elses"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "somebody", Image: "else"}}}})
	app := w.Apply(name, func(a *v1alpha1.SparkApplication) { a.Spec.Driver.PodName = "somebody-elses" })
	harness.Eventually(t, app, "kept from its driver", func(a *v1alpha1.SparkApplication) bool {
		return harness.Stage(a) == "Submitting" && strings.Contains(harness.Message(a), "belongs to another owner")
	})
	return app
}

// nothingMade checks that no object of an attempt is left.
func nothingMade(t *testing.T, w *harness.World) {
	t.Helper()
	for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ServiceList{}, &corev1.ConfigMapList{}} {
		if err := env.Client().List(t.Context(), list, client.InNamespace(w.Namespace), client.HasLabels{v1alpha1.ApplicationLabel}); err != nil {
			t.Fatal(err)
		}
		if n := apimeta.LenList(list); n > 0 {
			t.Errorf("%d left in %T", n, list)
		}
	}
}
