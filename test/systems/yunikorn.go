// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"errors"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// YuniKornNamespace is the namespace of YuniKorn's own installation.
	YuniKornNamespace = "yunikorn"
	// yunikornQueues puts an application into the queue that its pods name, else into one of its namespace, and makes both.
	yunikornQueues = `
partitions:
- name: default
  placementrules:
  - {name: provided, create: true}
  - {name: tag, value: namespace, create: true}
  queues:
  - {name: root, submitacl: "*"}
`
)

// YuniKornSettings are what tests may want otherwise.
type YuniKornSettings struct {
	// Queues replaces queues.yaml. Without, an application goes into the queue that its pods name, else into one of its namespace; both
	// come into being by that.
	Queues string
	// Config is added to the ConfigMap yunikorn-configs, for example {"service.schedulingInterval": "100ms"}.
	Config map[string]string
}

// YuniKorn starts YuniKorn's scheduler for a test. The test's end stops it.
//
// It places pods on nodes: see Node. Its web pages have a fixed port, 9080; a second YuniKorn on the machine goes without.
func YuniKorn(t testing.TB, cluster Cluster, settings YuniKornSettings) *System {
	t.Helper()
	system, err := NewYuniKorn(cluster, settings)
	if err != nil {
		t.Fatal(err)
	}
	return system.begin(t)
}

// NewYuniKorn prepares YuniKorn's scheduler, without its admission controller; Start starts it.
func NewYuniKorn(cluster Cluster, settings YuniKornSettings) (*System, error) {
	s, err := newSystem("yunikorn", cluster)
	if err != nil {
		return nil, err
	}
	data := map[string]any{"queues.yaml": yunikornQueues}
	if settings.Queues != "" {
		data["queues.yaml"] = settings.Queues
	}
	for key, value := range settings.Config {
		data[key] = value
	}
	s.program("shim")
	s.programs[0].env = []string{"KUBECONFIG=" + cluster.Kubeconfig, "NAMESPACE=" + YuniKornNamespace}
	s.objects = []*unstructured.Unstructured{namespaceObject(YuniKornNamespace), {Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "yunikorn-configs", "namespace": YuniKornNamespace}, "data": data,
	}}}
	s.ready = s.yunikornWorks
	return s, nil
}

// yunikornWorks says whether a pod is placed on a node that is created for it alone, or refused because no queue takes it: there is nothing
// else that shows it.
func (s *System) yunikornWorks(ctx context.Context) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: probeName, Labels: map[string]string{probeName: "node"}}}
	err := s.client.Get(ctx, client.ObjectKeyFromObject(node), node)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	if err != nil {
		has := corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi"), corev1.ResourcePods: resource.MustParse("1"),
		}
		// Other schedulers keep away from it.
		node.Spec.Taints = []corev1.Taint{{Key: probeName, Effect: corev1.TaintEffectNoSchedule}}
		if err := makeNode(ctx, s.client, node, has); err != nil {
			return err
		}
	}
	pod := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": probeName, "namespace": YuniKornNamespace, "labels": map[string]any{"applicationId": probeName}},
		"spec": map[string]any{
			"schedulerName": "yunikorn", "nodeSelector": map[string]any{probeName: "node"},
			"tolerations": []any{map[string]any{"key": probeName, "operator": "Exists"}},
			"containers":  []any{map[string]any{"name": "main", "image": "none"}},
		},
	}}
	if err := s.present(ctx, pod); err != nil {
		return err
	}
	placed, _, _ := unstructured.NestedString(pod.Object, "spec", "nodeName")
	reason, _, _ := unstructured.NestedString(pod.Object, "status", "reason")
	if placed == "" && reason != "ApplicationRejected" {
		return fmt.Errorf("it has not placed a pod on a free node yet: %v", pod.Object["status"])
	}
	return errors.Join(s.client.Delete(ctx, pod, client.GracePeriodSeconds(0)), s.client.Delete(ctx, node))
}
