// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package stopping

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// ways to stop a running application; each returns how to see that it has stopped.
var ways = map[string]func(*testing.T, *harness.World, *v1alpha1.SparkApplication) (stopped func()){
	"suspend": func(t *testing.T, w *harness.World, app *v1alpha1.SparkApplication) func() {
		harness.Change(t, app, suspend)
		return func() { w.Reach(app, "Suspended") }
	},
	"delete": func(t *testing.T, _ *harness.World, app *v1alpha1.SparkApplication) func() {
		remove(t, app)
		return func() { harness.Gone(t, app) }
	},
}

// deaf returns a kubelet that never ends a pod, on a node in the given state; empty is a node that does not exist.
func deaf(t *testing.T, ready corev1.ConditionStatus) *harness.Kubelet {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{GenerateName: "node-"}}
	harness.Create(t, node)
	if ready == "" {
		remove(t, node)
	} else {
		setReady(t, node, ready)
	}
	return &harness.Kubelet{Run: harness.Manual, Node: node.Name, Hold: func(*corev1.Pod) bool { return true }}
}

func setReady(t *testing.T, node *corev1.Node, ready corev1.ConditionStatus) {
	t.Helper()
	node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}
	if err := env.Client().Status().Update(t.Context(), node); err != nil {
		t.Fatal(err)
	}
}

func termination(limit time.Duration) func(*v1alpha1.SparkApplication) {
	return func(app *v1alpha1.SparkApplication) {
		app.Spec.Timeouts = &v1alpha1.Timeouts{Termination: &metav1.Duration{Duration: limit}}
	}
}

// TestPodsThatDoNotEnd: after timeouts.termination the pods are deleted without grace, unless their node does not answer.
func TestPodsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	nodes := map[string]corev1.ConditionStatus{"node is ready": corev1.ConditionTrue, "node is not ready": corev1.ConditionFalse, "node is gone": ""}
	for way, stop := range ways {
		for state, ready := range nodes {
			t.Run(way+", "+state, func(t *testing.T) {
				t.Parallel()
				w := harness.NewWorld(t, "3Gi", deaf(t, ready))
				operator.Use(t)
				app := w.Apply("pi", termination(2*time.Second))
				w.Kubelet.Executors(t.Context(), w.Run(app), 2)
				stopped := stop(t, w, app)
				stopped()
				if left := w.Pods(); len(left) > 0 {
					t.Errorf("%d pods are left", len(left))
				}
				w.Unused()
			})
		}
	}
}

// TestNodeLost: a pod on a node that does not answer may still run. Its quota stays in use, and the condition NodeLost names pod, node
// and remedy. It continues once the pod is gone.
func TestNodeLost(t *testing.T) {
	t.Parallel()
	for way, stop := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			w := harness.NewWorld(t, "3Gi", deaf(t, corev1.ConditionUnknown))
			w.History.MemoryLimit = 3 << 30
			operator.Use(t)
			app := w.Apply("pi", termination(time.Second))
			driver := w.Run(app)
			next := w.Apply("next")
			stopped := stop(t, w, app)
			harness.Eventually(t, app, "told that the node is lost", func(a *v1alpha1.SparkApplication) bool {
				return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.NodeLostCondition)
			})
			lost := apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.NodeLostCondition)
			for _, word := range []string{driver.Name, w.Kubelet.Node, "node.kubernetes.io/out-of-service", "--force"} {
				if !strings.Contains(lost.Message, word) {
					t.Errorf("the message does not have %q: %s", word, lost.Message)
				}
			}
			if app.Status.Grant == nil {
				t.Errorf("the room was given back while the pod may run: %s", harness.Show(app))
			}
			w.Reach(next, "Queued")
			admitted(t, w, 1, 1)

			remove(t, driver, client.GracePeriodSeconds(0)) // the remedy
			stopped()
			w.Succeed(next)
			w.Unused()
		})
	}
}

// TestNodeOfARunningDriverLost: the control plane deletes a running driver because its node does not answer, and nothing ends it. The
// application says so, is no longer Ready, and is tried again once the pod is gone.
func TestNodeOfARunningDriverLost(t *testing.T) {
	t.Parallel()
	w := harness.NewWorld(t, "3Gi", deaf(t, corev1.ConditionUnknown))
	operator.Use(t)
	app := w.Apply("pi", termination(time.Second), func(a *v1alpha1.SparkApplication) {
		a.Spec.ReadyWhen = v1alpha1.ReadyWhenRunning
		a.Spec.RestartPolicy = &v1alpha1.RestartPolicy{Type: v1alpha1.RestartOnInfrastructureFailure}
	})
	driver := w.Run(app)
	w.Kubelet.Executors(t.Context(), driver, 2)
	isReady := func(a *v1alpha1.SparkApplication) bool {
		return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.ReadyCondition)
	}
	harness.Eventually(t, app, "ready", isReady)
	remove(t, driver, client.GracePeriodSeconds(1))
	harness.Eventually(t, app, "told that the node is lost", func(a *v1alpha1.SparkApplication) bool {
		return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.NodeLostCondition)
	})
	if harness.Stage(app) != v1alpha1.RunningReason || isReady(app) || app.Status.Grant == nil {
		t.Errorf("want Running, not ready, with its grant: %s", harness.Show(app))
	}
	for _, pod := range w.Pods() {
		remove(t, &pod, client.GracePeriodSeconds(0)) // the remedy
	}
	harness.Eventually(t, app, "tried again", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 })
	if apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.NodeLostCondition) != nil {
		t.Errorf("still NodeLost: %s", harness.Show(app))
	}
}

// TestNodeComesBack: the node answers again, so the pod is ended.
func TestNodeComesBack(t *testing.T) {
	t.Parallel()
	kubelet := deaf(t, corev1.ConditionUnknown)
	w := harness.NewWorld(t, "3Gi", kubelet)
	operator.Use(t)
	app := w.Apply("pi", termination(time.Second))
	w.Run(app)
	harness.Change(t, app, suspend)
	harness.Eventually(t, app, "told that the node is lost", func(a *v1alpha1.SparkApplication) bool {
		return apimeta.IsStatusConditionTrue(a.Status.Conditions, v1alpha1.NodeLostCondition)
	})
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: kubelet.Node}}
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
		t.Fatal(err)
	}
	setReady(t, node, corev1.ConditionTrue)
	w.Reach(app, "Suspended")
	if apimeta.FindStatusCondition(app.Status.Conditions, v1alpha1.NodeLostCondition) != nil {
		t.Errorf("still NodeLost: %s", harness.Show(app))
	}
	w.Unused()
}
