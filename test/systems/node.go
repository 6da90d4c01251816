// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package systems

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Node creates a ready node with so much cpu and memory, for schedulers on an API server without nodes. It is deleted
// at the end of the test. No pod runs on it: a pod that a scheduler has placed has spec.nodeName set and stays Pending.
func Node(t testing.TB, api client.Client, name, cpu, memory string) *corev1.Node {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		corev1.LabelHostname: name, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
	}}}
	if err := makeNode(t.Context(), api, node, corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse(memory), corev1.ResourcePods: resource.MustParse("110"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
	}); err != nil {
		t.Fatalf("make node %s: %v", name, err)
	}
	t.Cleanup(func() {
		// The context of a test is over in its clean-up.
		if err := client.IgnoreNotFound(api.Delete(context.Background(), node)); err != nil {
			t.Errorf("delete node %s: %v", name, err)
		}
	})
	return node
}

// makeNode creates a ready node with the given resources.
func makeNode(ctx context.Context, api client.Client, node *corev1.Node, has corev1.ResourceList) error {
	taints := node.Spec.Taints
	if err := api.Create(ctx, node); err != nil {
		return err
	}
	// The API server taints new nodes as not ready; on a real cluster a controller removes that taint.
	node.Spec.Taints = taints
	if err := api.Update(ctx, node); err != nil {
		return fmt.Errorf("take its taint away: %w", err)
	}
	now := metav1.Now()
	node.Status = corev1.NodeStatus{Capacity: has, Allocatable: has, Conditions: []corev1.NodeCondition{{
		Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "Fake", LastHeartbeatTime: now, LastTransitionTime: now,
	}}}
	return api.Status().Update(ctx, node)
}
