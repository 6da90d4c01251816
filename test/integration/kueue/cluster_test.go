// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package kueue

import (
	"strings"
	"testing"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// clusterInKueue: Kueue admits a cluster with its minimum of workers, those above one by one, and gets all back.
func clusterInKueue(t *testing.T) {
	m := harness.StartMaster(t)
	w := &world{World: m.World(t, ""), t: t, client: kueueClient(t)}
	w.queues("4224Mi") // three pods
	c := m.Cluster(w.World)
	c.Spec.Queue.Gate = v1alpha1.GateKueue
	c.Spec.Workers.Min, c.Spec.Workers.Max, c.Spec.Workers.Replicas = ptr.To[int32](1), ptr.To[int32](5), ptr.To[int32](3)
	harness.Create(t, c)
	app := w.Pi("etl")
	w.Driver(app)
	w.ClusterReady(c)
	has := func(workers, words string) {
		t.Helper()
		env.UntilSeen(t, "it has "+workers+" workers", func() (bool, any) {
			w.StartWorkers()
			err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
			ready := apimeta.FindStatusCondition(c.Status.Conditions, v1alpha1.ReadyCondition)
			return err == nil && c.Status.Workers == workers && ready.Status == metav1.ConditionTrue && strings.Contains(ready.Message, words), c.Status
		})
	}
	has("2/3", "insufficient unused quota for memory")
	w.chunks(app, 2)
	harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.Workers.Replicas = nil })
	has("1/1", "")
	w.chunks(app, 0)
	harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.Suspend = true })
	w.ClusterSays(c, v1alpha1.SuspendedReason, "suspend")
	w.uses(w.Namespace, 0)
	w.Unused()
}
