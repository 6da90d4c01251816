// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// adopting starts Kueue with its own integration of kubeflow's kind, and an operator that adopts the namespace of a world.
func adopting(t *testing.T, spec string) *world {
	t.Helper()
	folder, err := systems.KubeflowCRDs()
	if err != nil {
		t.Fatal(err)
	}
	// They stay: without this integration, Kueue does not look at the kind.
	if _, err := envtest.InstallCRDs(env.Config(), envtest.CRDInstallOptions{Paths: []string{folder}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{SparkOperator: true, FeatureGates: "SparkApplicationIntegration=true"})
	w := newWorld(t, "3Gi")
	harness.Change(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}}, func(n *corev1.Namespace) {
		n.Labels["sparkgate.io/adopt"] = "kubeflow"
		n.Annotations = map[string]string{"sparkgate.io/spec": spec, v1alpha1.AllowedGatesAnnotation: "Kueue,None"}
	})
	harness.StartOperator(t, harness.OperatorOptions{Adopt: true})
	return w
}

// theirs creates a job of kubeflow's operator in the LocalQueue of the world.
func (w *world) theirs() *unstructured.Unstructured {
	w.t.Helper()
	pod := func(more string, value any) map[string]any {
		return map[string]any{"cores": int64(1), "coreRequest": "200m", "memory": "512m", more: value}
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "sparkoperator.k8s.io/v1beta2", "kind": "SparkApplication",
		"metadata": map[string]any{"name": "pi", "namespace": w.Namespace, "labels": map[string]any{v1alpha1.KueueQueueLabel: w.Namespace}},
		"spec": map[string]any{
			"type": "Python", "mode": "cluster", "sparkVersion": "4.1.4", "image": "docker.io/sparkgate/spark:4.1", "mainApplicationFile": "local:///pi.py",
			"driver": pod("labels", map[string]any{"a": "b"}), "executor": pod("instances", int64(2)),
		},
	}}
	w.create(u)
	return u
}

// says waits for a state of a job, and returns the message.
func (w *world) says(theirs *unstructured.Unstructured, state string) string {
	w.t.Helper()
	eventually(w, theirs, state, func(u *unstructured.Unstructured) bool {
		now, _, _ := unstructured.NestedString(u.Object, "status", "applicationState", "state")
		return now == state
	})
	message, _, _ := unstructured.NestedString(theirs.Object, "status", "applicationState", "errorMessage")
	return message
}

// TestKubeflowsIntegration: where Kueue's own integration admits kubeflow's jobs, it may continue to do so: it suspends and resumes them, places
// them, evicts them, and sees their end.
func TestKubeflowsIntegration(t *testing.T) {
	w := adopting(t, "queue: {gate: None, name: null}")
	w.stop(kueuev1.HoldAndDrain)
	theirs := w.theirs()
	w.says(theirs, "SUSPENDED")
	w.stop(kueuev1.None)
	ours := &v1alpha1.SparkApplication{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "pi"}}
	driver := w.Driver(ours)
	if driver.Spec.NodeSelector["pool"] != w.Namespace {
		t.Errorf("the driver is placed by %v, want the flavor of Kueue", driver.Spec.NodeSelector)
	}
	w.Kubelet.Start(t.Context(), driver)
	w.says(theirs, "RUNNING")
	w.stop(kueuev1.HoldAndDrain)
	w.says(theirs, "SUSPENDED")
	w.NothingRuns()
	w.stop(kueuev1.None)
	driver = w.Run(ours)
	w.says(theirs, "RUNNING")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.says(theirs, "COMPLETED")
	env.UntilSeen(t, "Kueue has seen the end", func() (bool, []kueuev1.Workload) {
		list := &kueuev1.WorkloadList{}
		if err := w.client.List(t.Context(), list, client.InNamespace(w.Namespace)); err != nil {
			t.Fatal(err)
		}
		return len(list.Items) == 1 && apimeta.IsStatusConditionTrue(list.Items[0].Status.Conditions, kueuev1.WorkloadFinished), list.Items
	})
}

// TestKueueIsAskedTwice: a job for which both would ask Kueue is refused, and the message names the setting.
func TestKueueIsAskedTwice(t *testing.T) {
	w := adopting(t, "")
	if message := w.says(w.theirs(), "FAILED"); !strings.Contains(message, "integrations.frameworks") {
		t.Errorf("the message is %q", message)
	}
	w.NothingRuns()
}
