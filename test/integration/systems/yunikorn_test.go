// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

// TestYuniKornKeepsToTheQueue: pods are placed as far as the maximum of their queue allows, then when others go.
func TestYuniKornKeepsToTheQueue(t *testing.T) {
	namespace := env.Namespace(t)
	yunikorn := systems.YuniKorn(t, env.Cluster(), systems.YuniKornSettings{Queues: fmt.Sprintf(`
partitions:
- name: default
  placementrules:
  - {name: provided, create: false}
  queues:
  - name: root
    submitacl: "*"
    queues:
    - {name: %s, resources: {max: {vcore: "2"}}}
`, namespace)})
	systems.Node(t, env.Client(), "yunikorn-queue", "16", "16Gi")
	first := create(t, yunikornPod(namespace, "first", "1.5", ""))
	eventually(t, first, "placed", hasField("yunikorn-queue", "spec", "nodeName"))
	second := create(t, yunikornPod(namespace, "second", "1", ""))
	passedOver(t, namespace, second)

	if err := yunikorn.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := env.Client().Delete(t.Context(), first, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	if err := yunikorn.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, second, "placed", hasField("yunikorn-queue", "spec", "nodeName"))
}

// TestYuniKornKeepsQuotaForAGang: a driver is placed only when there is space for its executors, and that space is kept for them.
func TestYuniKornKeepsQuotaForAGang(t *testing.T) {
	systems.YuniKorn(t, env.Cluster(), systems.YuniKornSettings{})
	systems.Node(t, env.Client(), "yunikorn-gang", "4.5", "16Gi")
	namespace := env.Namespace(t)
	const groups = `'[{"name": "driver", "minMember": 1, "minResource": {"cpu": "1", "memory": "1Mi"}},
      {"name": "executor", "minMember": 2, "minResource": {"cpu": "1", "memory": "1Mi"}}]'`
	const gang = "{yunikorn.apache.org/task-group-name: driver, yunikorn.apache.org/task-groups: " + groups + "}"

	first := create(t, yunikornPod(namespace, "first", "1", gang))
	awaitPlacement(t, namespace, first, 2)
	second := create(t, yunikornPod(namespace, "second", "1", gang))
	passedOver(t, namespace, second)
}

// passedOver sees that a pod waits: nothing reports it, but a small one that came later is placed.
func passedOver(t *testing.T, namespace string, pod *unstructured.Unstructured) {
	t.Helper()
	small := create(t, yunikornPod(namespace, "small", "0.1", ""))
	eventually(t, small, "placed", func(p *unstructured.Unstructured) bool { return !hasField("", "spec", "nodeName")(p) })
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
		t.Fatal(err)
	}
	if !hasField("", "spec", "nodeName")(pod) {
		t.Errorf("%s is placed, too", pod.GetName())
	}
}

// awaitPlacement waits until a driver is placed beside that many pods that reserve the capacity of its executors. Pods
// that are to end do, as on a node with a kubelet.
func awaitPlacement(t *testing.T, namespace string, driver *unstructured.Unstructured, kept int) {
	t.Helper()
	env.UntilWithin(t, patience, fmt.Sprintf("%s is placed beside %d that reserve capacity", driver.GetName(), kept), func() (bool, any) {
		pods := &corev1.PodList{}
		if err := env.Client().List(t.Context(), pods, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		var placed, unplaced []string
		for i := range pods.Items {
			pod := &pods.Items[i]
			switch {
			case pod.DeletionTimestamp != nil:
				return false, client.IgnoreNotFound(env.Client().Delete(t.Context(), pod, client.GracePeriodSeconds(0)))
			case pod.Spec.NodeName == "":
				unplaced = append(unplaced, pod.Name)
			default:
				placed = append(placed, pod.Name)
			}
		}
		done := len(unplaced) == 0 && len(placed) == 1+kept && slices.Contains(placed, driver.GetName())
		return done, fmt.Sprintf("placed %q, unplaced %q", placed, unplaced)
	})
}

// yunikornPod returns the YAML of a pod that is an application of its own, in the queue of the namespace's name.
func yunikornPod(namespace, name, cpu, annotations string) string {
	if annotations == "" {
		annotations = "{}"
	}
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata:
  name: %[2]s
  namespace: %[1]s
  labels: {applicationId: %[1]s-%[2]s, queue: root.%[1]s}
  annotations: %[4]s
spec: {schedulerName: yunikorn, %[3]s}
`, namespace, name, containers(cpu), annotations)
}
