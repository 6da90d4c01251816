// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package yunikorn

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestDriverFailsBeforeItsExecutors: what YuniKorn keeps for executors that never come does not keep the next attempt
// from getting its own.
func TestDriverFailsBeforeItsExecutors(t *testing.T) {
	systems.YuniKorn(t, env.Cluster(), systems.YuniKornSettings{})
	systems.Node(t, env.Client(), "yunikorn", "700m", "64Gi")
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	app := w.Apply("app", underYuniKorn, func(a *v1alpha1.SparkApplication) {
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnFailure, Backoff: &v1alpha1.Backoff{Initial: &metav1.Duration{}}}
	})
	driver := placed(t, w.Driver(app))
	w.Kubelet.Start(t.Context(), driver)
	w.Kubelet.Finish(t.Context(), driver, 1, "Error")
	harness.Eventually(t, app, "in its second attempt", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 })
	driver = placed(t, w.Driver(app))
	w.Kubelet.Start(t.Context(), driver)
	for _, number := range []int{1, 2} {
		placed(t, harness.Executor(t, driver, number))
	}
	finish(t, w, app)
	deletePods(t, w.Namespace)
}

// TestSchedulerRestarts: executors that are created while YuniKorn is away get their nodes when it is back. It keeps
// capacity for the driver once more, although that runs, so there has to be some.
func TestSchedulerRestarts(t *testing.T) {
	system := systems.YuniKorn(t, env.Cluster(), systems.YuniKornSettings{})
	systems.Node(t, env.Client(), "yunikorn", "1", "64Gi")
	w := harness.NewWorld(t, "64Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	app := w.Apply("app", underYuniKorn)
	driver := placed(t, w.Driver(app))
	w.Kubelet.Start(t.Context(), driver)
	if err := system.Stop(); err != nil {
		t.Fatal(err)
	}
	executors := []*corev1.Pod{harness.Executor(t, driver, 1), harness.Executor(t, driver, 2)}
	if err := system.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, executor := range executors {
		w.Kubelet.Start(t.Context(), placed(t, executor))
	}
	harness.Eventually(t, app, "complete", func(a *v1alpha1.SparkApplication) bool { return a.Status.Times.ExecutorsReady != nil })
	finish(t, w, app)
	deletePods(t, w.Namespace)
}

// deletePods deletes the pods of a namespace. For placeholders that an ended YuniKorn leaves behind, the YuniKorn of the next
// test would look for a node.
func deletePods(t *testing.T, namespace string) {
	t.Helper()
	if err := env.Client().DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace(namespace), client.GracePeriodSeconds(0)); err != nil {
		t.Error(err)
	}
}
