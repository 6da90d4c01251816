// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

// Package volcano runs applications under the gate Volcano, beside the real scheduler and controllers of Volcano. Its tests take turns:
// there may be one Volcano on an API server.
package volcano

import (
	"context"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"volcano.sh/apis/pkg/apis/scheduling/v1beta1"

	gate "github.com/sparkgate/sparkgate/queueing/volcano"
	"github.com/sparkgate/sparkgate/test/integration/actors"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/systems"
)

func TestMain(m *testing.M) { os.Exit(actors.Main(m)) }

const (
	patience = 2 * time.Minute
	interval = 50 * time.Millisecond
)

// volcanoClient reads and writes Volcano's kinds.
func volcanoClient(t *testing.T) client.WithWatch {
	t.Helper()
	c, err := gate.NewClient(env.Config(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// start runs Volcano with a node of the given cpu.
func start(t *testing.T, node, cpu string) *systems.System {
	t.Helper()
	system := systems.Volcano(t, env.Cluster(), systems.VolcanoSettings{})
	systems.Node(t, env.Client(), node, cpu, "64Gi")
	return system
}

// openQueue makes a queue with a capability of cpu; empty is none. It returns when Volcano has opened it.
func openQueue(t *testing.T, c client.Client, name, cpu string) *v1beta1.Queue {
	t.Helper()
	queue := &v1beta1.Queue{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1beta1.QueueSpec{Weight: 1}}
	if cpu != "" {
		queue.Spec.Capability = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	}
	queue.Status.Allocated = corev1.ResourceList{}
	if err := c.Create(t.Context(), queue); err != nil {
		t.Fatal(err)
	}
	eventually(t, "queue "+name+" is open", func(ctx context.Context) (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(queue), queue)
		return queue.Status.State == v1beta1.QueueStateOpen, err
	})
	return queue
}

func eventually(t *testing.T, what string, is func(context.Context) (bool, error)) {
	t.Helper()
	if err := wait.PollUntilContextTimeout(t.Context(), interval, patience, true, is); err != nil {
		t.Fatalf("not true after a while: %s: %v", what, err)
	}
}
