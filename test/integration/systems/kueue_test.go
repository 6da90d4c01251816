// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestKueueAdmits: what fits into a quota is admitted, what does not waits, and mistakes are refused, so the webhooks are on.
func TestKueueAdmits(t *testing.T) {
	systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	namespace := kueueQueues(t, "4")

	first := create(t, workload(namespace, "first", "1"))
	eventually(t, first, "reserved", hasCondition("QuotaReserved", "True"))
	eventually(t, first, "admitted", hasCondition("Admitted", "True"))
	second := create(t, workload(namespace, "second", "1"))
	eventually(t, second, "kept waiting", hasCondition("QuotaReserved", "False"))

	mistake := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": map[string]any{"name": "mistake"},
		"spec": map[string]any{"nodeLabels": map[string]any{"no label!": "x"}},
	}}
	err := env.Client().Create(t.Context(), mistake)
	if err == nil || !strings.Contains(err.Error(), "no label!") {
		t.Errorf("a flavor with a bad label: %v, want a refusal that names it", err)
	}
}

// TestKueueStopsAndGoesOn: stopped it admits nothing and its webhooks refuse, started again it continues.
func TestKueueStopsAndGoesOn(t *testing.T) {
	kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	namespace := kueueQueues(t, "4")
	first := create(t, workload(namespace, "first", "1"))
	eventually(t, first, "admitted", hasCondition("Admitted", "True"))

	if err := kueue.Kill(); err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": map[string]any{"name": "away-" + namespace},
	}}
	if err := env.Client().Create(t.Context(), obj); err == nil || !strings.Contains(err.Error(), "failed calling webhook") {
		t.Errorf("create a flavor while Kueue is away: %v, want that its webhook does not answer", err)
	}
	if err := kueue.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := create(t, workload(namespace, "second", "0.1"))
	eventually(t, second, "admitted", hasCondition("Admitted", "True"))
}

// TestKueueIsUninstalled: its kinds go with all objects, although finalizers hold some, and come back empty.
func TestKueueIsUninstalled(t *testing.T) {
	kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{})
	namespace := kueueQueues(t, "4")
	first := create(t, workload(namespace, "first", "1"))
	eventually(t, first, "admitted", hasCondition("Admitted", "True"))
	uninstalls(t, kueue, first)
}

// TestKueueTakesPods: with the pod integration, a pod with a queue is held by Kueue's gate. Without, it is let be.
func TestKueueTakesPods(t *testing.T) {
	for name, taken := range map[string]bool{"on": true, "off": false} {
		t.Run(name, func(t *testing.T) {
			kueue := systems.Kueue(t, env.Cluster(), systems.KueueSettings{Pods: taken})
			// Its webhook for pods would bar those of other tests.
			defer func() {
				if err := kueue.Uninstall(t.Context()); err != nil {
					t.Error(err)
				}
			}()
			namespace := kueueQueues(t, "4")
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: namespace, Labels: map[string]string{"kueue.x-k8s.io/queue-name": "queue"}},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
			}
			if err := env.Client().Create(t.Context(), pod); err != nil {
				t.Fatal(err)
			}
			if gated := len(pod.Spec.SchedulingGates) > 0; gated != taken {
				t.Errorf("the pod has the gates %v", pod.Spec.SchedulingGates)
			}
		})
	}
}

// kueueQueues creates a namespace with the LocalQueue "queue" of a ClusterQueue with that much cpu.
func kueueQueues(t *testing.T, cpu string) (namespace string) {
	t.Helper()
	namespace = env.Namespace(t)
	create(t, fmt.Sprintf("{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: %s}}", namespace))
	create(t, fmt.Sprintf(`
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: %[1]s}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: %[1]s
      resources: [{name: cpu, nominalQuota: %[2]q}, {name: memory, nominalQuota: 1Gi}]
`, namespace, cpu))
	queue := create(t, fmt.Sprintf(`
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: queue, namespace: %[1]s}
spec: {clusterQueue: %[1]s}
`, namespace))
	eventually(t, queue, "active", hasCondition("Active", "True"))
	return namespace
}

// workload returns the YAML of a driver and two executors, each of which asks for that much.
func workload(namespace, name, cpu string) string {
	return fmt.Sprintf(`
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: %s, namespace: %s}
spec:
  queueName: queue
  podSets:
  - {name: driver, count: 1, template: {spec: {restartPolicy: Never, %[3]s}}}
  - {name: executor, count: 2, template: {spec: {restartPolicy: Never, %[3]s}}}
`, name, namespace, containers(cpu))
}
