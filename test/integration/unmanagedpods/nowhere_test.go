// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package unmanagedpods

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestOnNoNode: without the guard, every user who may create pods may give them the labels of an application that does not exist, put them on a node
// that does not exist, and keep them by a finalizer. They use nothing, so they are charged to no queue.
func TestOnNoNode(t *testing.T) {
	w := harness.NewWorld(t, "3Gi", nil)
	namespace(t, w, func(n *corev1.Namespace) {
		n.Annotations = map[string]string{v1alpha1.DefaultQueueAnnotation: w.Queue.Name}
	})
	operator := harness.StartOperator(t, harness.OperatorOptions{})
	defer operator.Stop()
	p := executor(driver(w, "made-up"), 1)
	for key, value := range map[string]string{
		v1alpha1.ApplicationLabel: "made-up", v1alpha1.ApplicationUIDLabel: "8f7d2c1e-0000-4000-8000-000000000001", v1alpha1.RunLabel: "1", v1alpha1.AttemptLabel: "1",
	} {
		p.Labels[key] = value
	}
	p.Finalizers, p.Spec.NodeName = []string{"example.com/stays"}, harness.NoNode
	p.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse("100Gi")
	harness.Create(t, p)
	t.Cleanup(func() {
		_ = env.Client().Patch(context.Background(), p, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`)))
	})
	harness.Eventually(t, p, "deleted, as what its application has left", func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	app := w.Apply("pi")
	w.Run(app)
	if env.Client().Get(t.Context(), client.ObjectKeyFromObject(p), p) != nil {
		t.Error("the pod has gone meanwhile")
	}
}
