// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestVolcanoKeepsToTheQueue: the group that fits into a queue gets in, the other waits until the first is gone.
func TestVolcanoKeepsToTheQueue(t *testing.T) {
	systems.Volcano(t, env.Cluster(), systems.VolcanoSettings{})
	systems.Node(t, env.Client(), "volcano-queue", "16", "16Gi")
	namespace := volcanoQueue(t, "2")

	first := create(t, podGroup(namespace, "first", "1"))
	eventually(t, first, "let in", hasField("Inqueue", "status", "phase"))
	second := create(t, podGroup(namespace, "second", "1.5"))
	eventually(t, second, "kept waiting", hasField("Pending", "status", "phase"))

	if err := env.Client().Delete(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	eventually(t, second, "let in", hasField("Inqueue", "status", "phase"))
}

// TestVolcanoPlacesPods: a pod of a group that got in is placed on the node, also after a restart of Volcano.
func TestVolcanoPlacesPods(t *testing.T) {
	volcano := systems.Volcano(t, env.Cluster(), systems.VolcanoSettings{})
	systems.Node(t, env.Client(), "volcano-pods", "16", "16Gi")
	namespace := volcanoQueue(t, "2")
	create(t, podGroup(namespace, "group", "1"))
	placed(t, groupPod(t, namespace, "before"), "volcano-pods")

	if err := volcano.Stop(); err != nil {
		t.Fatal(err)
	}
	pod := groupPod(t, namespace, "after")
	if err := volcano.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	placed(t, pod, "volcano-pods")
}

// TestVolcanoIsUninstalled: its kinds go and come back empty.
func TestVolcanoIsUninstalled(t *testing.T) {
	volcano := systems.Volcano(t, env.Cluster(), systems.VolcanoSettings{})
	namespace := volcanoQueue(t, "2")
	group := create(t, podGroup(namespace, "group", "1"))
	uninstalls(t, volcano, group)
}

// volcanoQueue creates a namespace with an open queue of its name, with that much cpu.
func volcanoQueue(t *testing.T, cpu string) (namespace string) {
	t.Helper()
	namespace = env.Namespace(t)
	queue := create(t, fmt.Sprintf(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: Queue
metadata: {name: %s}
spec: {weight: 1, capability: {cpu: %q}}
`, namespace, cpu))
	eventually(t, queue, "open", hasField("Open", "status", "state"))
	return namespace
}

func podGroup(namespace, name, cpu string) string {
	return fmt.Sprintf(`
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: %s, namespace: %[2]s}
spec: {queue: %[2]s, minMember: 1, minResources: {cpu: %q}}
`, name, namespace, cpu)
}

// groupPod creates a pod of the group "group".
func groupPod(t *testing.T, namespace, name string) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Annotations: map[string]string{"scheduling.k8s.io/group-name": "group"}},
		Spec: corev1.PodSpec{SchedulerName: "volcano", Containers: []corev1.Container{{
			Name: "main", Image: "none",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
		}}},
	}
	if err := env.Client().Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	return pod
}

// placed waits until a pod is on a node.
func placed(t *testing.T, pod *corev1.Pod, node string) {
	t.Helper()
	obj := &unstructured.Unstructured{}
	obj.SetAPIVersion("v1")
	obj.SetKind("Pod")
	obj.SetNamespace(pod.Namespace)
	obj.SetName(pod.Name)
	eventually(t, obj, "placed on "+node, hasField(node, "spec", "nodeName"))
}
