// Copyright 2026 The Sparkgate Authors.
// SPDX-License-Identifier: Apache-2.0

package lifecycle

import (
	"fmt"
	"strings"
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sparkgate/sparkgate/api/v1alpha1"
	"github.com/sparkgate/sparkgate/test/integration/env"
	"github.com/sparkgate/sparkgate/test/integration/harness"
)

// TestSparkCluster: a cluster waits for the quota of its master and workers together, gets its workers when the master answers, is Ready when they
// have reached it, undoes what others change in its application, and gives everything back when it is suspended.
func TestSparkCluster(t *testing.T) {
	m := harness.StartMaster(t)
	w := m.World(t, "6Gi")
	harness.StartOperator(t, harness.OperatorOptions{})
	m.Away["127.0.1.2"] = true
	c := m.Cluster(w)
	harness.Create(t, c)
	app := w.Pi("etl")
	w.Driver(app)
	env.UntilSeen(t, "there are two workers", func() (bool, int) {
		n := w.StartWorkers()
		return n == 2, n
	})
	w.ClusterSays(c, v1alpha1.RunningReason, "fewer than 2 workers are ALIVE at the master")
	env.UntilSeen(t, "both run", func() (bool, any) {
		err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
		return err == nil && c.Status.Workers == "2/2", c.Status
	})
	m.Change(func() { m.Shut = true })
	w.ClusterSays(c, v1alpha1.RunningReason, "its web interface answers with status 403")
	if apimeta.FindStatusCondition(c.Status.Conditions, v1alpha1.ReadyCondition).Status != metav1.ConditionUnknown {
		t.Errorf("conditions %+v", c.Status.Conditions)
	}
	m.Change(func() { m.Shut, m.Away = false, nil })
	w.ClusterReady(c)
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
	w.ClusterSays(c, v1alpha1.SuspendedReason, "suspend")
	w.Unused()
}

// TestClusterOfATakenName: an application of a user that has the name of a cluster stays as it is, and the cluster says what to do.
func TestClusterOfATakenName(t *testing.T) {
	w := harness.NewWorld(t, "6Gi", nil)
	harness.StartOperator(t, harness.OperatorOptions{})
	app := w.Apply("etl", func(a *v1alpha1.SparkApplication) { a.Spec.Suspend = true })
	w.Reach(app, "Suspended")
	c := harness.StartMaster(t).Cluster(w)
	harness.Create(t, c)
	w.ClusterSays(c, v1alpha1.InvalidSpecReason, "SparkApplication etl exists")
	if err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app); err != nil || app.Spec.Server != nil || len(app.OwnerReferences) > 0 {
		t.Errorf("the application was changed: %+v, %v", app, err)
	}
}

// TestProgramOnACluster: a program waits for its cluster and says for what, asks for its driver alone once the cluster is Ready,
// and ends with a failure of the infrastructure when it loses it.
func TestProgramOnACluster(t *testing.T) {
	m := harness.StartMaster(t)
	w := m.World(t, "6Gi")
	harness.StartOperator(t, harness.OperatorOptions{})
	job := w.Apply("job", func(a *v1alpha1.SparkApplication) { a.Spec.ClusterRef = &v1alpha1.ClusterReference{Name: "etl"} })
	says := func(words string) {
		t.Helper()
		harness.Eventually(t, job, words, func(a *v1alpha1.SparkApplication) bool {
			return harness.Stage(a) == v1alpha1.ReferenceNotFoundReason && strings.Contains(harness.Message(a), words)
		})
	}
	says(`SparkCluster "etl" named by spec.clusterRef does not exist`)
	c := m.Cluster(w)
	right := c.Spec.SparkVersion
	c.Spec.SparkVersion = "4.0.2"
	harness.Create(t, c)
	says("runs Spark 4.0.2, and spec.sparkVersion is " + right)
	harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.SparkVersion = right })
	says("is not Ready")
	w.ClusterReady(c)
	w.Driver(job)
	if grant := job.Status.Grant; len(grant.PodSets) != 1 || job.Status.Executors != nil {
		t.Errorf("granted %+v, executors %+v", grant.PodSets, job.Status.Executors)
	}

	harness.Eventually(t, job, "it runs", func(a *v1alpha1.SparkApplication) bool { return a.Status.Times.DriverStarted != nil })
	harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.Suspend = true })
	w.ClusterSays(c, v1alpha1.SuspendedReason, "suspend")
	harness.Change(t, job, func(a *v1alpha1.SparkApplication) { a.Annotations = map[string]string{"look": "now"} }) // else within a minute
	w.Reach(job, "Failed")
	if last := job.Status.Attempts[0]; last.Reason != "ClusterLost" || last.Cause != v1alpha1.CauseInfrastructure || !strings.Contains(last.Message, "SparkCluster etl, on which the program ran, has stopped") {
		t.Errorf("attempt %+v", last)
	}
}

// scale sets the number of workers as kubectl scale and autoscalers do, and returns what the API server says of it.
func scale(t *testing.T, c *v1alpha1.SparkCluster, replicas int) (*autoscalingv1.Scale, error) {
	t.Helper()
	body := &autoscalingv1.Scale{}
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec": {"replicas": %d}}`, replicas))
	err := env.Client().SubResource("scale").Patch(t.Context(), c, patch, &client.SubResourcePatchOptions{SubResourceBody: body})
	return body, err
}

// TestClusterIsScaled: workers above the minimum wait for quota one by one, idle ones are given back first, and a number outside of the bounds is
// refused with what to set.
func TestClusterIsScaled(t *testing.T) {
	m := harness.StartMaster(t)
	w := m.World(t, "6Gi")
	harness.StartOperator(t, harness.OperatorOptions{})
	c := m.Cluster(w)
	c.Spec.Workers.Max = ptr.To[int32](5)
	harness.Create(t, c)
	app := w.Pi("etl")
	w.Driver(app)
	w.ClusterReady(c)
	if _, err := scale(t, c, 6); err == nil || !strings.Contains(err.Error(), "set workers.replicas to a number from workers.min to workers.max") {
		t.Errorf("six of at most five: %v", err)
	}
	if _, err := scale(t, c, 4); err != nil {
		t.Fatal(err)
	}
	clusterHas(t, w, c, "3/4", "workers above the base gang wait for quota")
	seen, err := scale(t, c, 4)
	if err != nil || seen.Status.Replicas != 3 {
		t.Errorf("scale %+v, %v", seen, err)
	}
	selector, err := labels.Parse(seen.Status.Selector)
	if err != nil {
		t.Fatal(err)
	}
	if selected := selectedBy(t, w.Namespace, selector); len(selected) != 4 {
		t.Errorf("selector %q selects %q", seen.Status.Selector, selected)
	}

	m.Change(func() { m.Busy = map[string]bool{"127.0.1.3": true} })
	if _, err := scale(t, c, 2); err != nil {
		t.Fatal(err)
	}
	clusterHas(t, w, c, "2/2", "")
	env.UntilSeen(t, "the busy one stays", func() (bool, any) {
		names := selectedBy(t, w.Namespace, selector)
		return len(names) == 2 && strings.HasSuffix(names[0], "-1") && strings.HasSuffix(names[1], "-3"), names
	})
	env.UntilSeen(t, "the quota of the others is given back", func() (bool, any) {
		err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(app), app)
		return err == nil && len(app.Status.Grant.PodSets) == 2, app.Status.Grant
	})
	if c.Status.ObservedGeneration != c.Generation || app.Status.Run != 1 || app.Status.Attempt != 1 {
		t.Errorf("run %d, attempt %d: the cluster was started again", app.Status.Run, app.Status.Attempt)
	}
}

// clusterHas waits until a cluster is ready with so many workers, and says some words.
func clusterHas(t *testing.T, w *harness.World, c *v1alpha1.SparkCluster, workers, words string) {
	t.Helper()
	env.UntilSeen(t, "it has "+workers+" workers", func() (bool, any) {
		w.StartWorkers()
		err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
		ready := apimeta.FindStatusCondition(c.Status.Conditions, v1alpha1.ReadyCondition)
		return err == nil && c.Status.Workers == workers && ready.Status == metav1.ConditionTrue && strings.Contains(ready.Message, words), c.Status
	})
}

// selectedBy returns the names of the pods that a selector selects.
func selectedBy(t *testing.T, namespace string, selector labels.Selector) (names []string) {
	t.Helper()
	selected := &corev1.PodList{}
	if err := env.Client().List(t.Context(), selected, client.InNamespace(namespace), client.MatchingLabelsSelector{Selector: selector}); err != nil {
		t.Fatal(err)
	}
	for i := range selected.Items {
		names = append(names, selected.Items[i].Name)
	}
	return names
}

// TestClusterOfOtherGates: gates that leave pods to a scheduler grant the base gang, and get the workers above it without being asked.
func TestClusterOfOtherGates(t *testing.T) {
	harness.StartOperator(t, harness.OperatorOptions{})
	for _, gate := range []v1alpha1.GateType{v1alpha1.GateNone, v1alpha1.GateYuniKorn} {
		t.Run(string(gate), func(t *testing.T) {
			m := harness.StartMaster(t)
			w := m.World(t, "6Gi")
			c := m.Cluster(w)
			c.Spec.Queue.Gate = gate
			c.Spec.Workers.Min, c.Spec.Workers.Max, c.Spec.Workers.Replicas = ptr.To[int32](1), ptr.To[int32](4), ptr.To[int32](3)
			harness.Create(t, c)
			w.ClusterReady(c)
			env.UntilSeen(t, "it has three workers", func() (bool, any) {
				w.StartWorkers()
				err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
				return err == nil && c.Status.Workers == "3/3", c.Status
			})
			app := w.Pi("etl")
			w.Driver(app)
			if grant := app.Status.Grant; len(grant.PodSets) != 2 || grant.PodSets[1].Count != 1 || grant.Gated {
				t.Errorf("granted %+v", grant)
			}
			harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.Workers.Replicas = ptr.To[int32](1) })
			env.UntilSeen(t, "it has one worker", func() (bool, any) {
				err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
				return err == nil && c.Status.Workers == "1/1" && apimeta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.ReadyCondition), c.Status
			})
			harness.Change(t, c, func(c *v1alpha1.SparkCluster) { c.Spec.Suspend = true })
			w.ClusterSays(c, v1alpha1.SuspendedReason, "suspend")
			w.Unused()
		})
	}
}

// TestClusterIsAutoscaled: a cluster gets the workers that a program on it may use, and ends them when they are idle after the program has ended.
func TestClusterIsAutoscaled(t *testing.T) {
	m := harness.StartMaster(t)
	w := m.World(t, "8Gi")
	harness.StartOperator(t, harness.OperatorOptions{})
	c := m.Cluster(w)
	c.Spec.Workers.Min, c.Spec.Workers.Max = ptr.To[int32](1), ptr.To[int32](4)
	c.Spec.Workers.Autoscale = &v1alpha1.ClusterAutoscale{IdleTimeout: &v1alpha1.Duration{Duration: time.Second}}
	harness.Create(t, c)
	w.ClusterReady(c)
	has := func(workers string) {
		t.Helper()
		env.UntilSeen(t, "it has "+workers+" workers", func() (bool, any) {
			w.StartWorkers()
			err := env.Client().Get(t.Context(), client.ObjectKeyFromObject(c), c)
			return err == nil && c.Status.Workers == workers && apimeta.IsStatusConditionTrue(c.Status.Conditions, v1alpha1.ReadyCondition), c.Status
		})
	}
	has("1/1")
	job := w.Apply("job", func(a *v1alpha1.SparkApplication) {
		a.Spec.ClusterRef, a.Spec.Executor.Instances = &v1alpha1.ClusterReference{Name: "etl"}, ptr.To[int32](3)
	})
	driver := w.Driver(job)
	has("3/3")
	w.Kubelet.Finish(t.Context(), driver, 0, "Completed")
	w.Reach(job, "Succeeded")
	has("1/1")
}
