// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

const forEver = 999_999 * time.Hour

// stubborn asks for all the time that there is to end.
func stubborn(app *v1alpha1.SparkApplication) {
	termination(forEver)(app)
	app.Spec.Driver.Template = &runtime.RawExtension{Raw: []byte(`{"spec":{"terminationGracePeriodSeconds":1000000}}`)}
}

// TestNobodyKeepsItsQuota: whatever the pods and the spec say, what has to end is gone within --max-termination, and its quota goes to what
// waits for it.
func TestNobodyKeepsItsQuota(t *testing.T) {
	const most = 2 * time.Second
	harness.StartOperator(t, harness.OperatorOptions{MaxTermination: most})
	for name, stop := range map[string]func(*testing.T, *harness.World, *v1alpha1.SparkApplication){
		"suspended": func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) { harness.Change(t, app, suspend) },
		"deleted":   func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) { remove(t, app) },
		"timed out": func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, app, func(a *v1alpha1.SparkApplication) {
				a.Spec.Timeouts.Run = &v1alpha1.Duration{Duration: time.Second}
			})
		},
		"preempted": func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyHoldAndDrain })
			harness.Eventually(t, app, "preempted", harness.InStage(v1alpha1.PreemptedReason))
			harness.Change(t, app, suspend) // else it goes first again
			w.Reach(app, "Suspended")
			harness.Change(t, w.Queue, func(q *v1alpha1.SparkQueue) { q.Spec.StopPolicy = v1alpha1.StopPolicyNone })
		},
		"gone without its finalizer": func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) { loseFinalizer(t, app) },
		"its owner deletes the driver for years, then it is suspended": func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) {
			for _, pod := range w.Pods() {
				remove(t, &pod, client.GracePeriodSeconds(1_000_000))
			}
			harness.Change(t, app, suspend)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kubelet := deaf(t, corev1.ConditionTrue)
			w := harness.NewWorld(t, "3Gi", kubelet)
			w.History.MemoryLimit = 3 << 30
			app := w.Apply("pi", stubborn)
			w.Kubelet.Executors(t.Context(), w.Run(app), 2)
			next := w.Apply("next")
			w.Reach(next, "Queued")
			stop(t, w, app)
			w.Run(next)
		})
	}
}

// TestFinalizerOfATenant: a pod that has ended, or never had a node, uses nothing, even if a tenant keeps its object.
func TestFinalizerOfATenant(t *testing.T) {
	t.Parallel()
	keep := func(t *testing.T, pod *corev1.Pod) {
		t.Helper()
		harness.Change(t, pod, func(p *corev1.Pod) { p.Finalizers = append(p.Finalizers, "tenant.example.org/keep") })
		t.Cleanup(func() {
			patch := client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))
			_ = env.Client().Patch(context.Background(), pod, patch)
		})
	}
	for name, started := range map[string]bool{"ended": true, "without a node": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kubelet := &harness.Kubelet{Run: harness.Manual}
			w := harness.NewWorld(t, "3Gi", kubelet)
			operator.Use(t)
			app := w.Apply("pi")
			driver := w.Driver(app)
			keep(t, driver)
			if started {
				w.Kubelet.Start(t.Context(), driver)
				w.Reach(app, "Running")
			}
			next := w.Apply("next")
			w.Reach(next, "Queued")
			harness.Change(t, app, suspend)
			harness.Eventually(t, driver, "asked to end", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
			if started {
				w.Kubelet.Finish(t.Context(), driver, 143, "Error") // and stays
			}
			w.Run(next)
			w.Reach(app, "Suspended")
		})
	}
}
