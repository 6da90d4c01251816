// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"fmt"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	kueuev1 "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestStartsLimited: Kueue deactivates an application that it has let in more often than it allows without seeing it
// ready, and says why. Activated again, the application asks again.
func TestStartsLimited(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{Config: map[string]any{"waitForPodsReady": map[string]any{
		"timeout": "10s", "requeuingStrategy": map[string]any{"backoffBaseSeconds": 1, "backoffLimitCount": 1},
	}}})
	harness.StartOperator(t, harness.OperatorOptions{})
	w := newWorld(t, "6Gi")
	app := w.apply("pi")
	w.Run(app)
	harness.Eventually(t, app, "in its second attempt", func(a *v1alpha1.SparkApplication) bool { return a.Status.Attempt == 2 && a.Status.Grant != nil })
	w.Run(app)
	w.waits(app, "Deactivated", "QueueHeld", "was deactivated", "exceeding the maximum number of re-queuing retries")
	w.NothingRuns()
	change(w, w.workload(app), func(k *kueuev1.Workload) { k.Spec.Active = ptr.To(true) })
	w.Kubelet.Executors(t.Context(), w.Run(app), 2)
	w.becomes(w.workload(app), "PodsReady=True")
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

// topology: Kueue chooses the node of each pod, and removes its scheduling gate from the driver and from executors,
// also from one that replaces another.
func topology(t *testing.T) {
	w := &world{World: harness.NewWorld(t, "", nil), t: t, client: kueueClient(t)}
	nodes := map[string]*corev1.Node{}
	for _, name := range []string{w.Namespace + "-1", w.Namespace + "-2"} {
		nodes[name] = w.node(name)
	}
	w.create(&kueuev1.Topology{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}, Spec: kueuev1.TopologySpec{
		Levels: []kueuev1.TopologyLevel{{NodeLabel: "pool"}, {NodeLabel: corev1.LabelHostname}},
	}})
	w.create(&kueuev1.ResourceFlavor{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}, Spec: kueuev1.ResourceFlavorSpec{
		NodeLabels: map[string]string{"pool": w.Namespace}, TopologyName: ptr.To(kueuev1.TopologyReference(w.Namespace)),
	}})
	w.clusterQueue(w.Namespace, "64Gi")
	w.localQueue(w.Namespace, w.Namespace)

	app := w.apply("pi", func(a *v1alpha1.SparkApplication) {
		together := []byte(fmt.Sprintf(`{"metadata":{"annotations":{%q:"pool"}}}`, kueuev1.PodSetRequiredTopologyAnnotation))
		a.Spec.Driver.Template, a.Spec.Executor.Template = &runtime.RawExtension{Raw: together}, &runtime.RawExtension{Raw: together}
	})
	driver := w.placed(w.Driver(app))
	w.Kubelet.Start(t.Context(), driver)
	harness.Eventually(t, app, "running", harness.InStage("Running"))
	used, last := map[string]int{driver.Spec.NodeSelector[corev1.LabelHostname]: 1}, driver
	for _, number := range []int{1, 2} {
		last = w.placed(harness.Executor(t, driver, number))
		used[last.Spec.NodeSelector[corev1.LabelHostname]]++
		w.Kubelet.Start(t.Context(), last)
	}
	if len(used) != 2 {
		t.Errorf("three pods on the nodes %v, each of which has space for two", used)
	}
	more := w.apply("more", executors(1))
	w.waits(more, "Queued", "WaitingForQuota", "topology")
	if err := env.Client().Delete(t.Context(), more); err != nil {
		t.Fatal(err)
	}
	harness.Gone(t, more)
	w.Kubelet.Finish(t.Context(), last, 1, "Error")
	w.placed(harness.Executor(t, driver, 3))

	// Without one of its nodes, the application does not fit.
	if err := env.Client().Delete(t.Context(), nodes[last.Spec.NodeSelector[corev1.LabelHostname]]); err != nil {
		t.Fatal(err)
	}
	w.waits(app, "Preempted", "", "(NodeFailures)")
	w.node(w.Namespace + "-3")
	w.Kubelet.Start(t.Context(), w.placed(w.Driver(app)))
	harness.Eventually(t, app, "running", harness.InStage("Running"))
	w.finish(app, 0)
	w.Reach(app, "Succeeded")
}

// node creates a node of the world's flavor that has space for two pods.
func (w *world) node(name string) *corev1.Node {
	w.t.Helper()
	node := systems.Node(w.t, env.Client(), name, "8", harness.MemoryFor(2))
	harness.Change(w.t, node, func(n *corev1.Node) { n.Labels["pool"] = w.Namespace })
	return node
}

// placed waits until Kueue has chosen the node of a pod.
func (w *world) placed(pod *corev1.Pod) *corev1.Pod {
	w.t.Helper()
	harness.Eventually(w.t, pod, "on a node of Kueue's choice", func(p *corev1.Pod) bool {
		return len(p.Spec.SchedulingGates) == 0 && p.Spec.NodeSelector[corev1.LabelHostname] != ""
	})
	return pod
}

// multiKueue: MultiKueue runs jobs in other clusters, and has no way to run an application there. So it rejects the
// Workload, and the application says so instead of running here or waiting for ever.
func multiKueue(t *testing.T) {
	w := &world{World: harness.NewWorld(t, "", nil), t: t, client: kueueClient(t)}
	config, err := os.ReadFile(env.Cluster().Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: systems.KueueNamespace, Name: w.Namespace}, Data: map[string][]byte{kueuev1.MultiKueueConfigSecretKey: config}})
	w.create(&kueuev1.MultiKueueCluster{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}, Spec: kueuev1.MultiKueueClusterSpec{
		ClusterSource: kueuev1.ClusterSource{KubeConfig: &kueuev1.KubeConfig{Location: w.Namespace, LocationType: kueuev1.SecretLocationType}},
	}})
	w.create(&kueuev1.MultiKueueConfig{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}, Spec: kueuev1.MultiKueueConfigSpec{Clusters: []string{w.Namespace}}})
	w.create(&kueuev1.AdmissionCheck{ObjectMeta: metav1.ObjectMeta{Name: w.Namespace}, Spec: kueuev1.AdmissionCheckSpec{
		ControllerName: kueuev1.MultiKueueControllerName,
		Parameters:     &kueuev1.AdmissionCheckParametersReference{APIGroup: kueuev1.SchemeGroupVersion.Group, Kind: "MultiKueueConfig", Name: w.Namespace},
	}})
	w.queues("3Gi", func(s *kueuev1.ClusterQueueSpec) {
		s.AdmissionChecksStrategy = &kueuev1.AdmissionChecksStrategy{AdmissionChecks: []kueuev1.AdmissionCheckStrategyRule{{Name: kueuev1.AdmissionCheckReference(w.Namespace)}}}
	})
	app := w.apply("pi")
	w.waits(app, "Deactivated", "QueueHeld", "No multikueue adapter found for owner kind", "SparkApplication")
	w.NothingRuns()
}
