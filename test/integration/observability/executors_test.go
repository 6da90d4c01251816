// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package observability

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/fluxcd/pkg/apis/meta"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestFailedExecutorsAreCountedOnce: their pods are deleted at once, as Spark does, and another operator comes in between. Those that are
// asked to end count as little as those that succeed.
func TestFailedExecutorsAreCountedOnce(t *testing.T) {
	w := harness.NewWorld(t, "20Gi", nil)
	clock := &harness.Clock{}
	operator := harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	app := w.Apply("pi")
	driver := w.Run(app)
	executors := w.Kubelet.Executors(t.Context(), driver, 5)
	fails := func(pod *corev1.Pod, code int32, reason string) {
		t.Helper()
		clock.Advance(time.Minute) // counts alone are written now and then only
		w.Kubelet.Finish(t.Context(), pod, code, reason)
		if err := env.Client().Delete(t.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
			t.Fatal(err)
		}
	}
	fails(executors[0], 137, "OOMKilled")
	harness.Eventually(t, app, "one failed", func(a *v1alpha1.SparkApplication) bool { return a.Status.Executors.Failed == 1 })
	operator.Stop()
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	// Who fails and is gone before the new operator looks was never seen by it.
	harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
		a.Annotations = map[string]string{meta.ReconcileRequestAnnotation: "again"}
	})
	harness.Eventually(t, app, "looked at", func(a *v1alpha1.SparkApplication) bool { return a.Status.LastHandledReconcileAt == "again" })
	fails(executors[1], 1, "Error")
	harness.Eventually(t, app, "two failed", func(a *v1alpha1.SparkApplication) bool { return a.Status.Executors.Failed == 2 })
	fails(executors[2], 0, "Completed")
	if err := env.Client().Delete(t.Context(), executors[3]); err != nil { // Spark asks it to end
		t.Fatal(err)
	}
	w.Kubelet.Finish(t.Context(), driver, 11, "Error")
	w.Reach(app, "Failed")

	var shown []string
	for _, f := range app.Status.Executors.Failures {
		shown = append(shown, fmt.Sprintf("%s %s %s %d", f.Pod, f.Cause, f.Reason, *f.ExitCode))
	}
	want := []string{executors[0].Name + " Application OOMKilled 137", executors[1].Name + " Application Error 1"}
	if diff := cmp.Diff(want, shown); diff != "" || app.Status.Executors.Failed != 2 {
		t.Errorf("%d failures are counted; shown (-want +got):\n%s", app.Status.Executors.Failed, diff)
	}
}

// TestExecutorsThatDoNotStart say why: here a Secret was deleted while the application runs.
func TestExecutorsThatDoNotStart(t *testing.T) {
	w := harness.NewWorld(t, "8Gi", nil)
	clock := &harness.Clock{}
	harness.StartOperator(t, harness.OperatorOptions{Clock: clock})
	app := w.Apply("pi")
	driver := w.Run(app)
	pod := w.Kubelet.Executors(t.Context(), driver, 1)[0]
	clock.Advance(time.Minute)
	w.Kubelet.Wait(t.Context(), pod, "CreateContainerConfigError", `secret "db" not found`)
	const want = `executor's container cannot start (CreateContainerConfigError): secret "db" not found; create it, and the container starts automatically`
	harness.Eventually(t, app, "told why", func(a *v1alpha1.SparkApplication) bool { return a.Status.Executors.Problem == want })
	w.Kubelet.Start(t.Context(), pod)
	clock.Advance(time.Minute)
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(app, "Succeeded")
	if p := app.Status.Executors.Problem; p != "" {
		t.Errorf("a run that has ended still has the problem %q", p)
	}
}
