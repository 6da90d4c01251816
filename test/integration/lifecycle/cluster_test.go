// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// cluster is the cluster etl of a world, with two workers.
func cluster(w *harness.World) *v1alpha1.SparkCluster {
	pi := w.Pi("etl")
	return &v1alpha1.SparkCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: "etl"},
		Spec: v1alpha1.SparkClusterSpec{
			SparkVersion: pi.Spec.SparkVersion, Image: pi.Spec.Image, Queue: pi.Spec.Queue,
			Workers: v1alpha1.ClusterWorkers{PodRole: v1alpha1.PodRole{CoreRequest: "100m", Memory: "512m"}, Min: ptr.To[int32](2)},
		},
	}
}

// eventuallySays waits until a cluster is in a stage, for its current spec.
func eventuallySays(t *testing.T, c *v1alpha1.SparkCluster, reason, words string) {
	t.Helper()
	env.UntilSeen(t, fmt.Sprintf("the cluster is %s: %s", reason, words), func() (bool, any) {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c); err != nil {
			return false, err
		}
		ready := apimeta.FindStatusCondition(c.Status.Conditions, v1alpha1.ReadyCondition)
		return ready != nil && ready.Reason == reason && strings.Contains(ready.Message, words) && c.Status.ObservedGeneration == c.Generation, c.Status
	})
}

// TestSparkCluster: a cluster waits for the quota of its master and workers together, gets its workers when the master answers, undoes what others
// change in its application, and gives everything back when it is suspended.
func TestSparkCluster(t *testing.T) {
	w := harness.NewWorld(t, "6Gi", &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, pod *corev1.Pod) { k.Start(ctx, pod) }})
	harness.StartOperator(t, harness.OperatorOptions{})
	c := cluster(w)
	harness.Create(t, c)
	app := w.Pi("etl")
	w.Driver(app)
	workers := &corev1.PodList{}
	env.UntilSeen(t, "there are two workers", func() (bool, int) {
		if err := env.Client().List(t.Context(), workers, client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor}); err != nil {
			t.Fatal(err)
		}
		return len(workers.Items) == 2, len(workers.Items)
	})
	for i := range workers.Items {
		w.Kubelet.Start(t.Context(), &workers.Items[i])
	}
	eventuallySays(t, c, v1alpha1.RunningReason, "master pod")
	env.UntilSeen(t, "it is Ready", func() (bool, any) {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c); err != nil {
			return false, err
		}
		return apimeta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.ReadyCondition) && c.Status.Workers == "2/2", c.Status
	})
	if grant := app.Status.Grant; len(grant.PodSets) != 2 || grant.PodSets[1].Count != 2 || ptr.To(grant.PodSets[1].Requests[corev1.ResourceMemory]).String() != "1408Mi" {
		t.Errorf("granted %+v, want two workers of 512Mi, 384Mi of overhead and 512Mi for the worker itself", grant.PodSets)
	}

	harness.Change(t, app, func(a *v1alpha1.SparkApplication) { a.Spec.Executor.Instances = ptr.To[int32](5) })
	env.UntilSeen(t, "the application is as the cluster says", func() (bool, any) {
		if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil {
			return false, err
		}
		return *app.Spec.Executor.Instances == 2, app.Spec.Executor
	})

	harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.Suspend = true })
	eventuallySays(t, c, v1alpha1.SuspendedReason, "suspend")
	w.Unused()
}

// TestClusterOfATakenName: an application of a user that has the name of a cluster stays as it is, and the cluster says what to do.
func TestClusterOfATakenName(t *testing.T) {
	w := harness.NewWorld(t, "6Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	app := w.Apply("etl", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(app, "Suspended")
	c := cluster(w)
	harness.Create(t, c)
	eventuallySays(t, c, v1alpha1.InvalidSpecReason, "SparkApplication etl exists")
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil || app.Spec.Server != nil || len(app.OwnerReferences) > 0 {
		t.Errorf("the application was changed: %+v, %v", app, err)
	}
}

// TestProgramOnACluster: a program waits for its cluster and says for what, and asks for its driver alone once the cluster is Ready.
func TestProgramOnACluster(t *testing.T) {
	w := harness.NewWorld(t, "6Gi", &harness.Kubelet{Run: func(ctx context.Context, k *harness.Kubelet, pod *corev1.Pod) { k.Start(ctx, pod) }})
	harness.StartOperator(t, harness.OperatorOptions{})
	job := w.Apply("job", func(a *v1alpha1.SparkApplication) { a.Spec.ClusterRef = &v1alpha1.ClusterReference{Name: "etl"} })
	says := func(words string) {
		t.Helper()
		harness.Eventually(t, job, words, func(a *v1alpha1.SparkApplication) bool {
			return harness.Stage(a) == v1alpha1.ReferenceNotFoundReason && strings.Contains(harness.Message(a), words)
		})
	}
	says(`SparkCluster "etl" named by spec.clusterRef does not exist`)
	c := cluster(w)
	right := c.Spec.SparkVersion
	c.Spec.SparkVersion = "4.0.2"
	harness.Create(t, c)
	says("runs Spark 4.0.2, and spec.sparkVersion is " + right)
	harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.SparkVersion = right })
	says("is not Ready")
	env.UntilSeen(t, "the workers run", func() (bool, error) {
		workers := &corev1.PodList{}
		if err := env.Client().List(t.Context(), workers, client.InNamespace(w.Namespace), client.MatchingLabels{v1alpha1.SparkRoleLabel: v1alpha1.SparkRoleExecutor}); err != nil {
			return false, err
		}
		for i := range workers.Items {
			if pod := &workers.Items[i]; pod.DeletionTimestamp.IsZero() && pod.Status.Phase != corev1.PodRunning {
				w.Kubelet.Start(t.Context(), pod)
			}
		}
		err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
		return apimeta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.ReadyCondition) && c.Status.ObservedGeneration == c.Generation, err
	})
	w.Driver(job)
	if grant := job.Status.Grant; len(grant.PodSets) != 1 || job.Status.Executors != nil {
		t.Errorf("granted %+v, executors %+v", grant.PodSets, job.Status.Executors)
	}
}
